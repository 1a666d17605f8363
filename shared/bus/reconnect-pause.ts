/** ms between two attempts, at least and at most */
const PAUSE = [500, 700] as const;

/** A moment that every clock has passed */
const AT_ONCE = Number.NEGATIVE_INFINITY;

/**
 * For the NATS client's `reconnectDelayHandler`. The client adds what this returns to the moment of its last attempt, by
 * the wall clock, and compares: where that clock was set back by an hour, it would stay without NATS for an hour. So a
 * monotonic clock decides here, and the client is told to wait for what is left, or not at all.
 * @param now monotonic ms
 */
export function reconnectPause(now: () => number = () => performance.now()): () => number {
	let next = 0;
	return () => {
		const left = next - now();
		if (left > 0) return left;
		const [least, most] = PAUSE;
		next = now() + least + Math.random() * (most - least);
		return AT_ONCE;
	};
}
