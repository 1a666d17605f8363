import type { Clock } from '../../../shared/engine/clock.ts';

/** ms that a key's judgement holds within a request: together with what a gateway believes of a key less than the 5 s of promise A3 */
const HOLDS_FOR = 500;

/**
 * What a request does rests on its key as it is then, not as it was when the request came: a body may take 8 s, a long poll
 * waits for 30 s.
 * @param judge rejects where the key is not good any more; it was just found to be
 * @returns to be called before each step: what to wait for, or undefined where the last judgement is young enough
 */
export function judgedOften(clock: Clock, judge: () => Promise<void>): () => Promise<void> | undefined {
	let judged = clock.monotonic();
	return () => {
		const now = clock.monotonic();
		if (now - judged < HOLDS_FOR) return undefined;
		return judge().then(() => {
			judged = now;
		});
	};
}
