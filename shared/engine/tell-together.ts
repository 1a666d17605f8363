import type { Clock } from './clock.ts';

/**
 * For what may come as a flood, which must not become one of log lines: the first is told at once, later ones together.
 * @param every ms between two tellings
 * @param tell is given how often it happened since the last one
 * @returns to be called each time
 */
export function tellTogether(every: number, clock: Clock, tell: (count: number) => void): () => void {
	let count = 0;
	let told = Number.NEGATIVE_INFINITY;
	return () => {
		count++;
		const now = clock.monotonic();
		if (now - told < every) return;
		tell(count);
		told = now;
		count = 0;
	};
}
