import { setTimeout as delay } from 'node:timers/promises';
import { type ErrorType, isError } from '../contract/errors.ts';
import type { Deadline } from './deadline.ts';

/** ms that a repeated DELETE waits for the news that the answer of the first one went out */
const PATIENCE = 1_000;
const LOOK_EVERY = 50;

/**
 * Carries a DELETE out that may be a repeated one: until it is noted that the first was answered, it is `ok`, too.
 * @param missing what `remove` throws where the thing is not there
 * @param isUnanswered whether it was removed, and nobody knows yet that a client was told so
 * @throws what `remove` throws; `missing` only where the first DELETE was answered, or there never was such a thing
 */
export async function deleteOnce(
	missing: ErrorType,
	deadline: Deadline,
	remove: () => Promise<unknown>,
	isUnanswered: () => Promise<boolean>,
): Promise<'ok'> {
	try {
		await remove();
	} catch (error) {
		if (!isError(error, missing) || (await wasAnswered(deadline, isUnanswered))) throw error;
	}
	return 'ok';
}

/** The news comes from the gateway after the answer, so it may come a little later than a client's next request. */
async function wasAnswered(deadline: Deadline, isUnanswered: () => Promise<boolean>): Promise<boolean> {
	const until = Math.min(PATIENCE, deadline.remaining() / 2) + performance.now();
	while (await isUnanswered()) {
		if (performance.now() >= until) return false;
		await delay(LOOK_EVERY);
	}
	return true;
}
