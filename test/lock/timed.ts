const TICK = 5;

/**
 * What came of a task, and how long it took by the clock of the event loop: of a pause in which this process was not
 * run at all, only two ticks count. So other work on the machine does not pass for slowness of the lock. `wall` leaves nothing out.
 */
export async function timed<T>(task: Promise<T>): Promise<{ result: T; ms: number; wall: number }> {
	const start = performance.now();
	let last = start;
	let ms = 0;
	const look = () => {
		const now = performance.now();
		ms += Math.min(now - last, 2 * TICK);
		last = now;
	};
	const ticks = setInterval(look, TICK);
	try {
		const result = await task;
		look();
		return { result, ms, wall: last - start };
	} finally {
		clearInterval(ticks);
	}
}
