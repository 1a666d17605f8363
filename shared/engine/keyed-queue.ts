import { setTimeout as delay } from 'node:timers/promises';
import type { AccountKey } from '../contract/actions/common.ts';
import { ApiError } from '../contract/errors.ts';
import type { Deadline } from '../work/deadline.ts';

/** Runs what is queued under one key one after another, in order of arrival; different keys do not wait. */
export class KeyedQueue {
	readonly #tails = new Map<AccountKey, Promise<unknown>>();

	run<T>(key: AccountKey, work: () => Promise<T>): Promise<T> {
		const before = this.#tails.get(key);
		const result = before === undefined ? work() : before.then(work, work);
		this.#tails.set(key, result);
		const forget = () => {
			if (this.#tails.get(key) === result) this.#tails.delete(key);
		};
		result.then(forget, forget);
		return result;
	}
}

/** ms before its deadline at which a request that still waits for another one says so */
const MARGIN = 250;

/**
 * Runs `work` after what is under way for the same Idempotency-Key.
 * @throws request_in_progress where its turn does not come in time; `work` then never runs
 */
export async function inTurn<T>(
	queue: KeyedQueue,
	key: AccountKey,
	deadline: Deadline,
	work: () => Promise<T>,
): Promise<T> {
	let state: 'waiting' | 'begun' | 'given up' = 'waiting';
	const turn = queue.run(key, async () => {
		if (state === 'given up') throw new ApiError('request_in_progress');
		state = 'begun';
		return work();
	});
	const served = new AbortController();
	const patience = delay(Math.max(0, deadline.remaining() - MARGIN), undefined, { signal: served.signal }).then(
		() => {
			if (state === 'begun') return turn;
			state = 'given up';
			throw new ApiError('request_in_progress');
		},
		() => turn, // answered: the timer was taken away
	);
	return Promise.race([turn, patience]).finally(() => served.abort());
}
