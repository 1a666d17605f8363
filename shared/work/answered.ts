import { setTimeout as delay } from 'node:timers/promises';
import type { Deadline } from './deadline.ts';

/** ms that a repeated DELETE waits for the news that the answer of the first one went out */
const PATIENCE = 1_000;
const LOOK_EVERY = 50;

/**
 * Whether the DELETE that removed a thing was answered: then another one finds nothing. The news comes from the gateway
 * after the answer, so it may come a little later than a client's next request.
 */
export async function wasAnswered(deadline: Deadline, isUnanswered: () => Promise<boolean>): Promise<boolean> {
	const until = Math.min(PATIENCE, deadline.remaining() / 2) + performance.now();
	while (await isUnanswered()) {
		if (performance.now() >= until) return false;
		await delay(LOOK_EVERY);
	}
	return true;
}
