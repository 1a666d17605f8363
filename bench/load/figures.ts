import { sortedPercentile } from '../statistics.ts';

/** What a load came to. Times in ms. */
export interface Figures {
	/** Requests that were answered */
	answered: number;
	/** Requests whose answer came after the time that is looked at: they cost, but do not count */
	late: number;
	/** Answers a second */
	rate: number;
	p50: number;
	p99: number;
	p999: number;
	/** How often each status came; 0 is a connection that ended without an answer */
	statuses: Record<number, number>;
	/** Share of a processor that the generator itself used */
	generatorCpu: number;
}

/** Collects answers while a load runs. */
export class Tally {
	readonly #times: number[] = [];
	readonly #statuses: Record<number, number> = {};
	readonly #cpu = process.cpuUsage();
	readonly #began = performance.now();
	/** Answers that are not part of the figures */
	late = 0;

	add(status: number, ms: number): void {
		this.#times.push(ms);
		this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
	}

	get answered(): number {
		return this.#times.length;
	}

	/** @param seconds that the load took; by default since this was made */
	figures(seconds = (performance.now() - this.#began) / 1_000): Figures {
		const times = Float64Array.from(this.#times).sort();
		const { user, system } = process.cpuUsage(this.#cpu);
		return {
			answered: times.length,
			late: this.late,
			rate: times.length / seconds,
			p50: sortedPercentile(times, 50),
			p99: sortedPercentile(times, 99),
			p999: sortedPercentile(times, 99.9),
			statuses: this.#statuses,
			generatorCpu: (user + system) / 1_000 / (performance.now() - this.#began),
		};
	}
}
