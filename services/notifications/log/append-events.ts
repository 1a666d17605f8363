import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { type AccountKey, accountKey } from '../../../shared/contract/actions/common.ts';
import type { NewErasure, NewEvent } from '../../../shared/contract/actions.ts';

import { ApiError } from '../../../shared/contract/errors.ts';
import type { FairLock } from '../../../shared/lock/fair-lock.ts';
import { inBatch, type Span, tracing, within } from '../../../shared/tracing/tracing.ts';
import { type Deadline, withoutDeadline } from '../../../shared/work/deadline.ts';
import type { EventLog } from './event-log.ts';

interface Request {
	events: (NewEvent | NewErasure)[];
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
 * Appends events of any accounts to their logs, for each account one batch at a time: what arrives while a batch is under
 * way shares the next one. An event that is there already counts as done.
 *
 * Between processes the lock puts the batches in line, for speed. Without it they collide and try again. The one that got
 * through knows the next number and would always be first again, so it pauses for about the time that a batch takes.
 *
 * `SerialBatchesByKey` cannot carry it: that closes a batch before the lock is waited for, knows no size, and would hold
 * back answers during the pause.
 */
export class EventAppender {
	readonly #log: EventLog;
	readonly #lock: FairLock;
	readonly #appended: (account_id: string) => void;
	/** Of the accounts that are at work */
	readonly #queues = new Map<AccountKey, Request[]>();

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
	async append(events: (NewEvent | NewErasure)[], deadline: Deadline): Promise<void> {
		const accounts = Map.groupBy(events, (event) => event.account_id);
		await Promise.all([...accounts].map(([account_id, own]) => this.#appendOf(account_id, own, deadline)));
	}

	async #appendOf(account_id: string, events: (NewEvent | NewErasure)[], deadline: Deadline): Promise<void> {
		await new Promise<void>((resolve, reject) => {
			const request = { events, deadline, span: tracing?.current(), resolve, reject };
			const key = accountKey({ account_id });
			const queue = this.#queues.get(key);
			if (queue !== undefined) {
				queue.push(request);
			} else {
				const begun = [request];
				this.#queues.set(key, begun);
				void withoutDeadline(() => this.#drain(account_id, begun));
			}
		});
		this.#appended(account_id);
	}

	async #drain(account_id: string, queue: Request[]): Promise<void> {
		while (queue.length > 0) {
			const lease = await within(queue[0]?.span, () => this.#lock.acquire(accountKey({ account_id }, 'events')));
			await turn(); // what arrives in this round of the event loop goes along
			const start = performance.now();
			await this.#appendBatch(account_id, takeBatch(queue));
			if (lease) await lease.release();
			else await wait(Math.random() * Math.min(2 * (performance.now() - start), LONGEST_PAUSE));
		}
		this.#queues.delete(accountKey({ account_id }));
	}

	async #appendBatch(account_id: string, requests: Request[]): Promise<void> {
		const { late = [], inTime = [] } = Object.groupBy(requests, ({ deadline }) =>
			deadline.remaining() <= 0 ? 'late' : 'inTime',
		);
		for (const request of late) request.reject(new ApiError('gateway_timeout'));
		if (inTime.length === 0) return;
		const events = new Map(inTime.flatMap((request) => request.events).map((event) => [event.id, event]));
		const deadline = inTime.map((request) => request.deadline).reduce((a, b) => (a.at > b.at ? a : b));
		try {
			await inBatch(
				'append events',
				() => inTime.map(({ span }) => span),
				() => this.#log.append(account_id, [...events.values()], deadline),
			);
			for (const request of inTime) request.resolve();
		} catch (error) {
			for (const request of inTime) request.reject(error);
		}
	}
}

/** Takes the next batch out of a queue. */
function takeBatch(queue: Request[]): Request[] {
	let size = 0;
	let count = 0;
	for (const { events } of queue) {
		size += events.length;
		if (count > 0 && size > BATCH_SIZE) break;
		count++;
	}
	return queue.splice(0, count);
}
