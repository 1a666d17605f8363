import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { type AccountKey, accountKey } from '../../../shared/contract/actions/common.ts';
import type { NewEvent } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { FairLock } from '../../../shared/lock/fair-lock.ts';
import { inBatch, type Span, tracing, within } from '../../../shared/tracing/tracing.ts';
import { type Deadline, withoutDeadline } from '../../../shared/work/deadline.ts';
import type { EventLog } from './event-log.ts';

/** Appends events of any accounts to their logs. An event that is there already counts as done. */
export class EventAppender {
	readonly #log: EventLog;
	readonly #lock: FairLock;
	readonly #appended: (account_id: string) => void;
	/** Those that are at work */
	readonly #accounts = new Map<AccountKey, AccountAppender>();

	/** @param appended is told each account whose log has grown */
	constructor(log: EventLog, lock: FairLock, appended: (account_id: string) => void) {
		this.#log = log;
		this.#lock = lock;
		this.#appended = appended;
	}

	/**
	 * Events of one account keep their order. Where it throws, some may have been appended: it is to be repeated.
	 * @throws gateway_timeout, or what the store throws
	 */
	async append(events: NewEvent[], deadline: Deadline): Promise<void> {
		const accounts = Map.groupBy(events, (event) => event.account_id);
		await Promise.all([...accounts].map(([account_id, own]) => this.#appendOf(account_id, own, deadline)));
	}

	async #appendOf(account_id: string, events: NewEvent[], deadline: Deadline): Promise<void> {
		const account = this.#accounts.get(accountKey({ account_id })) ?? this.#begin(account_id);
		await account.append(events, deadline);
		this.#appended(account_id);
	}

	#begin(account_id: string): AccountAppender {
		const key = accountKey({ account_id });
		const idle = () => this.#accounts.delete(key);
		const account = new AccountAppender(account_id, this.#log, this.#lock, idle);
		this.#accounts.set(key, account);
		return account;
	}
}

interface Request {
	events: NewEvent[];
	deadline: Deadline;
	/** Of the request that waits */
	span: Span | undefined;
	resolve(): void;
	reject(error: unknown): void;
}

/** Events that one batch takes; a request is never split, so a batch of a single one may be longer. */
const BATCH_SIZE = 500;
/** ms */
const LONGEST_PAUSE = 200;

/**
 * Appends for one account, one batch at a time: what arrives while a batch is under way shares the next one. Between
 * processes the lock puts the batches in line, for speed. Without it they collide and try again. The one that got
 * through knows the next number and would always be first again, so it pauses for about the time that a batch takes.
 */
class AccountAppender {
	readonly #account_id: string;
	readonly #lockKey: AccountKey;
	readonly #log: EventLog;
	readonly #lock: FairLock;
	readonly #idle: () => void;
	readonly #requests: Request[] = [];
	#running = false;

	/** @param idle called when nothing is left to do, so that it can be let go */
	constructor(account_id: string, log: EventLog, lock: FairLock, idle: () => void) {
		this.#account_id = account_id;
		this.#lockKey = accountKey({ account_id }, 'events');
		this.#log = log;
		this.#lock = lock;
		this.#idle = idle;
	}

	/** @throws as `EventLog.append` */
	append(events: NewEvent[], deadline: Deadline): Promise<void> {
		return new Promise((resolve, reject) => {
			this.#requests.push({ events, deadline, span: tracing?.current(), resolve, reject });
			if (!this.#running) void withoutDeadline(() => this.#run());
		});
	}

	async #run(): Promise<void> {
		this.#running = true;
		while (this.#requests.length > 0) {
			const [first] = this.#requests;
			const lease = await within(first?.span, () => this.#lock.acquire(this.#lockKey));
			await turn(); // what arrives in this round of the event loop goes along
			const start = performance.now();
			await this.#appendBatch(this.#takeBatch());
			if (lease) await lease.release();
			else await wait(Math.random() * Math.min(2 * (performance.now() - start), LONGEST_PAUSE));
		}
		this.#running = false;
		this.#idle();
	}

	#takeBatch(): Request[] {
		let size = 0;
		const batch: Request[] = [];
		for (let next = this.#requests[0]; next; next = this.#requests[0]) {
			size += next.events.length;
			if (batch.length > 0 && size > BATCH_SIZE) break;
			batch.push(next);
			this.#requests.shift();
		}
		return batch;
	}

	async #appendBatch(requests: Request[]): Promise<void> {
		const [late, batch] = partition(requests, (request) => request.deadline.remaining() <= 0);
		for (const request of late) request.reject(new ApiError('gateway_timeout'));
		if (batch.length === 0) return;
		const events = new Map(batch.flatMap((request) => request.events).map((event) => [event.id, event]));
		const deadline = batch.map((request) => request.deadline).reduce((a, b) => (a.at > b.at ? a : b));
		try {
			await inBatch(
				'append events',
				() => batch.map(({ span }) => span),
				() => this.#log.append(this.#account_id, [...events.values()], deadline),
			);
			for (const request of batch) request.resolve();
		} catch (error) {
			for (const request of batch) request.reject(error);
		}
	}
}

function partition<T>(all: T[], test: (each: T) => boolean): [T[], T[]] {
	return [all.filter(test), all.filter((each) => !test(each))];
}
