/** The smallest value that at least `percent` % of all do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
	return sortedPercentile(
		[...values].sort((a, b) => a - b),
		percent,
	);
}

/** The same of values that are in ascending order. */
export function sortedPercentile(sorted: ArrayLike<number>, percent: number): number {
	return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

/** Of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const upper = sorted[sorted.length >> 1] ?? Number.NaN;
	return sorted.length % 2 === 1 ? upper : (upper + (sorted[(sorted.length >> 1) - 1] ?? Number.NaN)) / 2;
}

/**
 * Slope of the straight line through points that has the least squares.
 * @returns y for one of x; NaN with fewer than two points
 */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
	const mean = (pick: (point: readonly [number, number]) => number) =>
		points.reduce((sum, point) => sum + pick(point), 0) / points.length;
	const [meanX, meanY] = [mean(([x]) => x), mean(([, y]) => y)];
	const covariance = mean(([x, y]) => (x - meanX) * (y - meanY));
	return covariance / mean(([x]) => (x - meanX) ** 2);
}
