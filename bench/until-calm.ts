import { cpuOf } from './processes.ts';

const LOOK_EVERY = 100; // ms
/** ms of CPU between two looks: less than that is a process that only keeps its connections alive */
const CALM = 20;
const PATIENCE = 60_000; // ms

/**
 * Waits until processes have nothing more to do, so that what one load leaves behind does not slow the next one.
 * @returns ms until they had; none where that cannot be told
 */
export async function untilCalm(pids: readonly number[]): Promise<number> {
	const began = performance.now();
	for (let before = cpuOf(pids); ; ) {
		const looked = performance.now();
		if (Number.isNaN(before) || looked - began > PATIENCE) return looked - began;
		await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
		const now = cpuOf(pids);
		if (now - before <= CALM) return looked - began;
		before = now;
	}
}
