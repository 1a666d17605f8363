/** Figures of one round of requests. */
export interface Round {
	/** Requests a second */
	rate: number;
	/** ms */
	p50: number;
	p99: number;
}

/**
 * Sends `count` requests from `clients` at once, each client its next one when it has an answer (a closed model).
 * @throws where a request fails
 */
export async function closedLoop(
	count: number,
	clients: number,
	send: (n: number) => Promise<unknown>,
): Promise<Round> {
	const times: number[] = [];
	let next = 0;
	const client = async () => {
		for (let n = next++; n < count; n = next++) {
			const began = performance.now();
			await send(n);
			times.push(performance.now() - began);
		}
	};
	const began = performance.now();
	await Promise.all(Array.from({ length: clients }, client));
	const seconds = (performance.now() - began) / 1000;
	return { rate: count / seconds, p50: percentile(times, 50), p99: percentile(times, 99) };
}

/** The smallest value that at least `percent` % of all do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
	return percentile(values, 50);
}

/** A table of ratios, each with the spread of its rounds. */
export function printRatios(title: string, ratios: Record<string, number[]>): void {
	const rows = Object.entries(ratios).map(([name, values]) => {
		const [low, middle, high] = [Math.min(...values), median(values), Math.max(...values)];
		return `| ${name} | ${middle.toFixed(2)} | ${low.toFixed(2)} – ${high.toFixed(2)} |`;
	});
	process.stdout.write(`\n${title}\n\n| Measure | Median | Spread |\n|---|---|---|\n${rows.join('\n')}\n`);
}
