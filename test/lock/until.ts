import { setTimeout as pause } from 'node:timers/promises';

/** Resolves as soon as the condition holds. @throws Error after `within` ms */
export async function until(condition: () => unknown, within = 10_000): Promise<void> {
	const limit = performance.now() + within;
	while (!(await condition())) {
		if (performance.now() > limit) throw new Error(`not within ${within} ms: ${condition}`);
		await pause(2);
	}
}

/** How long it took, in ms, and what came of it. */
export async function timed<T>(task: Promise<T>): Promise<{ result: T; ms: number }> {
	const start = performance.now();
	const result = await task;
	return { result, ms: performance.now() - start };
}
