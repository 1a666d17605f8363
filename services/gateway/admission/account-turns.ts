import { isError } from '../../../shared/contract/errors.ts';
import type { Deadline } from '../../../shared/work/deadline.ts';
import type { Reading } from '../../../shared/work/reading.ts';
import { AccountRests, type Cost } from './account-rests.ts';
import { standInLine } from './waiting-line.ts';

/** What a request weighs beside its work, in units of work (documents read, rows computed) */
const REQUEST = 30;
/** Requests at work from which on accounts share */
const SERVED = 64;
/**
 * Units of work that are begun at once where the event loop is hardly idle: a request that comes then waits for all of it.
 * It is the weight of SERVED cheap requests. They share reads, writes and the wait for the disk, so fewer would cost
 * throughput. Of lists of a thousand rows it is two.
 */
const WORK_WHEN_BUSY = SERVED * REQUEST;
/** Share of the time that an event loop works from which it is busy, and below which it is no longer; ms of one measurement */
const BUSY = 0.8;
const STILL_BUSY = 0.5;
const LOOK_EVERY = 100;

/** Requests of an account that wait for an event at once; further ones are answered without waiting */
const POLLS = 100;

export const TURNS = { SERVED, POLLS } as const;

interface Line {
	/** Requests at work */
	working: number;
	/** In order of arrival */
	waiting: (() => void)[];
	/** Units of work that were done for the account: its virtual time */
	served: number;
	/** Units that one of its requests is likely to be: what the latest ones were */
	weight: number;
}

/** Share of the latest request in an account's `weight` */
const LATEST = 0.25;

/**
 * Accounts take turns. One that is alone has the whole process. As soon as there are several, each has its share of what
 * is served at once, further requests wait, and the next one is of the account that was served least: start-time fair
 * queueing (Goyal, Vin and Cheng 1996), in which a request weighs what it turned out to cost.
 *
 * An account that asks for much rests in between: see `AccountRests`.
 */
export class AccountTurns {
	readonly #isBusy: () => boolean;
	readonly #lines = new Map<string, Line>();
	readonly #rests: AccountRests;
	/** Accounts that a timer waits for until they have rested */
	readonly #timed = new Set<string>();
	readonly #polls = new Map<string, number>();
	#working = 0;
	/** Units of work that the requests at work are likely to be */
	#begun = 0;
	#waiting = 0;
	/** The virtual time of the process: that of the request that began last */
	#virtual = 0;
	#refused = 0;

	/**
	 * @param isBusy whether the event loop is hardly idle
	 * @param now monotonic ms
	 */
	constructor(isBusy: () => boolean = eventLoopIsBusy(), now: () => number = () => performance.now()) {
		this.#isBusy = isBusy;
		this.#rests = new AccountRests(isBusy, now);
	}

	/** Requests that were refused since the start because their turn came too late */
	get refused(): number {
		return this.#refused;
	}

	get waiting(): number {
		return this.#waiting;
	}

	/** Requests of an account that are at work or wait for their turn */
	of(account: string): number {
		const line = this.#lines.get(account);
		return line === undefined ? 0 : line.working + line.waiting.length;
	}

	/**
	 * Waits for a request's turn; `end` must follow where it resolves.
	 * @param reading where it only reads
	 * @returns undefined where it may begin at once
	 * @throws service_unavailable where half of its time has passed before its turn: the rest may not be enough;
	 *   gateway_timeout where its client has gone
	 */
	begin(account: string, deadline: Deadline, reading?: Pick<Reading, 'onEnd'>): Promise<void> | undefined {
		const line = this.#lineOf(account);
		this.#rests.see(account);
		if (line.waiting.length === 0 && this.#mayBegin(account, line)) {
			this.#start(line);
			return undefined;
		}
		this.#waiting++;
		return standInLine(line.waiting, deadline.remaining() / 2, reading, (error) => {
			this.#waiting--;
			if (isError(error, 'service_unavailable')) this.#refused++;
			this.#forget(account, line);
		});
	}

	/** Gives the turn back. */
	end(account: string, cost: Cost): void {
		const line = this.#lines.get(account)!;
		const units = REQUEST + cost.units;
		line.working--;
		line.served += units;
		this.#working--;
		this.#weigh(line, units);
		this.#rests.ended(account, { ...cost, units });
		this.#forget(account, line);
		this.#serve();
		if (!this.#timed.has(account)) this.#serveAfterRest(account);
	}

	/**
	 * A request that waits for an event needs no turn, but each looks for one now and then.
	 * @returns whether it may; if so, `endWaiting` must follow
	 */
	beginWaiting(account: string): boolean {
		const polls = this.#polls.get(account) ?? 0;
		if (polls >= POLLS) return false;
		this.#polls.set(account, polls + 1);
		return true;
	}

	endWaiting(account: string): void {
		const polls = this.#polls.get(account)! - 1;
		if (polls === 0) this.#polls.delete(account);
		else this.#polls.set(account, polls);
	}

	#serve(): void {
		while (this.#waiting > 0 && this.#beginNext());
	}

	/** A rest may become longer meanwhile, and a timer may be early. */
	#serveAfterRest(account: string): void {
		const left = this.#rests.left(account);
		if (left > 0) {
			this.#timed.add(account);
			setTimeout(() => this.#serveAfterRest(account), Math.ceil(left)).unref();
		} else if (this.#timed.delete(account)) this.#serve();
	}

	/** @returns false where nobody who waits may begin */
	#beginNext(): boolean {
		let next: Line | undefined;
		for (const [account, line] of this.#lines) {
			if (line.waiting.length === 0 || !this.#mayBegin(account, line)) continue;
			if (next === undefined || line.served < next.served) next = line;
		}
		if (next === undefined) return false;
		this.#waiting--;
		this.#start(next);
		next.waiting.shift()!();
		return true;
	}

	#mayBegin(account: string, { working, weight }: Line): boolean {
		if (this.#rests.mustWait(account, working)) return false;
		if (working === 0 || this.#lines.size === 1) return true;
		const accounts = this.#lines.size;
		const room = this.#working < SERVED || working < SERVED / accounts;
		if (!room || !this.#isBusy()) return room;
		return this.#begun + weight <= WORK_WHEN_BUSY || (working + 1) * weight <= WORK_WHEN_BUSY / accounts;
	}

	/** All of an account's requests at work are taken to be what its latest ones were. */
	#weigh(line: Line, latest: number): void {
		this.#begun -= (line.working + 1) * line.weight;
		line.weight += LATEST * (latest - line.weight);
		this.#begun += line.working * line.weight;
	}

	#start(line: Line): void {
		line.working++;
		this.#working++;
		this.#begun += line.weight;
		line.served = Math.max(line.served, this.#virtual); // idle time is not saved up
		this.#virtual = line.served;
	}

	#lineOf(account: string): Line {
		let line = this.#lines.get(account);
		if (line === undefined) {
			line = { working: 0, waiting: [], served: this.#virtual, weight: REQUEST };
			this.#lines.set(account, line);
		}
		return line;
	}

	/** Forgotten as soon as nothing of it is here: who comes back begins at the present virtual time. */
	#forget(account: string, line: Line): void {
		if (line.working > 0 || line.waiting.length > 0) return;
		this.#lines.delete(account);
	}
}

/** Looks when it is asked, at most every 100 ms. */
function eventLoopIsBusy(): () => boolean {
	let since = performance.eventLoopUtilization();
	let at = performance.now();
	let isBusy = false;
	return () => {
		const now = performance.now();
		if (now - at < LOOK_EVERY) return isBusy;
		const whole = performance.eventLoopUtilization();
		isBusy = performance.eventLoopUtilization(whole, since).utilization > (isBusy ? STILL_BUSY : BUSY);
		since = whole;
		at = now;
		return isBusy;
	};
}
