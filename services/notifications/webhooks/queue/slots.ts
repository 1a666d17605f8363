import { LRUCache } from 'lru-cache';
import { type AccountKey, accountKey } from '../../../../shared/contract/actions/common.ts';
import { type Attempt, isDelivered } from '../outbound/attempt.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';

/**
 * What is known of an endpoint: its last attempt was delivered quickly; nothing; it failed. Only endpoints of
 * the first kind can be relied on to give their slot back soon.
 */
export type Lane = 'well' | 'new' | 'failing';

/** An attempt that is to be made. */
export interface Wish {
	lane: Lane;
	account_id: string;
	/** Of the URL, without its port */
	host: string;
}

interface Limits {
	all: number;
	/** Of those that are `new` or `failing` */
	unproven: number;
	failing: number;
}

/** Attempts under way to one host, over all accounts, by one process (promise N6) */
export const ATTEMPTS_PER_HOST = 20;
const OF_A_HOST: Limits = { all: ATTEMPTS_PER_HOST, unproven: 18, failing: 8 };

/**
 * The attempts that a process may make at once, over all webhooks and to each host. However many endpoints hang, those
 * that answer find a slot:
 *
 * - Endpoints that failed last, and those that nobody knows, have a share and no more.
 * - An account may begin another attempt while it has fewer under way than there are free slots. So each account that
 *   comes finds some free, and one that is alone gets half.
 * - Accounts whose attempts wait take turns.
 */
export class Slots {
	readonly #all: Shares;
	readonly #hosts = new Map<string, Shares>();
	readonly #waiting: Record<Lane, Map<string, Waiter[]>> = { well: new Map(), new: new Map(), failing: new Map() };

	/** @param limit of all; 8 or more */
	constructor(limit: number) {
		this.#all = new Shares({ all: limit, unproven: limit - limit / 4, failing: limit / 2 });
	}

	/** Whether one could be had at once, by an account that has none. */
	isFree(lane: Lane): boolean {
		return this.#all.has({ lane, account_id: '', host: '' });
	}

	/**
	 * @param signal ends the wait
	 * @returns how to give it back, to be called once; undefined where the wait was ended
	 */
	async take(wish: Wish, signal: AbortSignal): Promise<(() => void) | undefined> {
		if (!this.#has(wish) && !(await this.#turn(wish, signal))) return undefined;
		return () => {
			this.#all.give(wish);
			const host = this.#hosts.get(wish.host)!;
			host.give(wish);
			if (host.isIdle) this.#hosts.delete(wish.host);
			this.#passOn();
		};
	}

	/** Takes a slot where one is free. */
	#has(wish: Wish): boolean {
		const host = this.#hosts.get(wish.host) ?? new Shares(OF_A_HOST);
		if (!this.#all.has(wish) || !host.has(wish)) return false;
		this.#hosts.set(wish.host, host);
		host.take(wish);
		this.#all.take(wish);
		return true;
	}

	/** @returns false where the wait was ended */
	#turn(wish: Wish, signal: AbortSignal): Promise<boolean> {
		const lane = this.#waiting[wish.lane];
		const { account_id } = wish;
		return new Promise((resolve) => {
			if (signal.aborted) return resolve(false);
			const waiter: Waiter = {
				wish,
				go() {
					signal.removeEventListener('abort', giveUp);
					resolve(true);
				},
			};
			const giveUp = () => {
				const left = lane.get(account_id)!.filter((each) => each !== waiter);
				if (left.length === 0) lane.delete(account_id);
				else lane.set(account_id, left);
				resolve(false);
			};
			signal.addEventListener('abort', giveUp, { once: true });
			const own = lane.get(account_id);
			if (own) own.push(waiter);
			else lane.set(account_id, [waiter]);
		});
	}

	/** One of each account at a time; that account is then the last in line. */
	#passOn(): void {
		for (const lane of ['well', 'new', 'failing'] as const) {
			const accounts = this.#waiting[lane];
			for (const [account_id, own] of accounts) {
				if (!this.isFree(lane)) break;
				const next = own.findIndex(({ wish }) => this.#has(wish));
				if (next === -1) continue;
				const [waiter] = own.splice(next, 1);
				accounts.delete(account_id);
				if (own.length > 0) accounts.set(account_id, own);
				waiter!.go();
			}
		}
	}
}

interface Waiter {
	wish: Wish;
	go(): void;
}

/** What is under way within one limit. */
class Shares {
	readonly #limits: Limits;
	readonly #taken = { all: 0, unproven: 0, failing: 0 };
	readonly #accounts = new Map<string, { all: number; unproven: number }>();

	constructor(limits: Limits) {
		this.#limits = limits;
	}

	get isIdle(): boolean {
		return this.#taken.all === 0;
	}

	has({ lane, account_id }: Wish): boolean {
		const own = this.#accounts.get(account_id) ?? { all: 0, unproven: 0 };
		if (own.all >= this.#limits.all - this.#taken.all) return false;
		if (lane === 'well') return true;
		if (own.unproven >= this.#limits.unproven - this.#taken.unproven) return false;
		return lane === 'new' || this.#taken.failing < this.#limits.failing;
	}

	take(wish: Wish): void {
		this.#count(wish, 1);
	}

	give(wish: Wish): void {
		this.#count(wish, -1);
	}

	#count({ lane, account_id }: Wish, by: 1 | -1): void {
		const own = this.#accounts.get(account_id) ?? { all: 0, unproven: 0 };
		this.#taken.all += by;
		own.all += by;
		if (lane !== 'well') {
			this.#taken.unproven += by;
			own.unproven += by;
		}
		if (lane === 'failing') this.#taken.failing += by;
		if (own.all === 0) this.#accounts.delete(account_id);
		else this.#accounts.set(account_id, own);
	}
}

/** How fast endpoints may be sent to, by what this process has seen of them. */

/** Attempts of one webhook at the same time, at most */
const WIDEST = 8;
/** ms; an answer that takes longer opens the window no further */
const QUICK = 1_000;
/** Endpoints that are remembered */
const MOST = 50_000;

/**
 * How many attempts of a webhook may run at once. It opens with quick successes, as TCP does, and shuts with a failure, so
 * that an endpoint that hangs holds one connection, and not those of others.
 */
export class Window {
	#size = 1;

	get size(): number {
		return this.#size;
	}

	note(attempt: Attempt): void {
		if (!isDelivered(attempt)) this.#size = 1;
		else if (attempt.duration < QUICK) this.#size = Math.min(WIDEST, this.#size * 2);
		else this.#size = Math.max(1, Math.floor(this.#size / 2));
	}
}

/** Which lane an endpoint's attempts take. Another process, or a new URL, begins anew: only a turn depends on it. */
export class Lanes {
	readonly #well = new LRUCache<AccountKey, true>({ max: MOST });

	of(webhook: WebhookDocument): Lane {
		if (webhook.failing_since > 0) return 'failing';
		return this.#well.has(keyOf(webhook)) ? 'well' : 'new';
	}

	note(webhook: WebhookDocument, attempt: Attempt): void {
		if (isDelivered(attempt) && attempt.duration < QUICK) this.#well.set(keyOf(webhook), true);
		else this.#well.delete(keyOf(webhook));
	}
}

function keyOf(webhook: WebhookDocument): AccountKey {
	return accountKey(webhook, webhook._id, webhook.epoch);
}
