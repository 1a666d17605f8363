/** How long it took, in ms, and what came of it. */
export async function timed<T>(task: Promise<T>): Promise<{ result: T; ms: number }> {
	const start = performance.now();
	const result = await task;
	return { result, ms: performance.now() - start };
}
