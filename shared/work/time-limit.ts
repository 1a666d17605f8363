/**
 * What `work` comes to, or a refusal where that takes too long. The work itself goes on.
 * @param ms that it may take
 * @param late what it is refused with after them
 */
export function inTime<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => reject(late()), Math.max(0, ms));
		work.then(resolve, reject).finally(() => clearTimeout(timer));
	});
}
