import { collectDefaultMetrics, type Metric, type MetricType, Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import type { Distribution } from '../engine/durations.ts';

/** Their values come from a small set that is known beforehand: an operation, a status; never an account or an id. */
export type Labels = Record<string, string>;

export interface Sample {
	labels: Labels;
	value: number;
}

/** `undefined`: unknown right now. The series is left out then, for no number would be true. */
type Reading = number | readonly Sample[] | undefined;

interface Line extends Sample {
	metricName: string;
}

/**
 * What a process tells Prometheus. Nothing is pushed in here: each metric has a function that reads it at a scrape, from
 * a counter that its owner keeps anyway. So a request costs no more than that counter, and a process without a scrape
 * nothing. Each process has its own, so several products can live in one.
 */
export class Metrics {
	readonly registry = new Registry();

	/** @param namespace label of every series, which tells installations apart that share a Prometheus */
	constructor(namespace: string) {
		this.registry.setDefaultLabels({ namespace });
	}

	/** @param name without the prefix; ends in `_total` */
	counter(name: string, help: string, read: () => Reading): void {
		this.#add('counter', name, help, async (metricName) => lines(metricName, read()));
	}

	/** @param name without the prefix; ends in its unit, where it has one. @param read may take as long as a scrape may */
	gauge(name: string, help: string, read: () => Reading | Promise<Reading>): void {
		this.#add('gauge', name, help, async (metricName) => lines(metricName, await read()));
	}

	/** @param name without the prefix; ends in `_seconds` */
	histogram(name: string, help: string, read: () => Iterable<{ labels: Labels; of: Distribution }>): void {
		this.#add('histogram', name, help, async (metricName) =>
			[...read()].flatMap(({ labels, of }) => [
				...of.buckets().map(({ le, count }) => ({
					metricName: `${metricName}_bucket`,
					labels: { ...labels, le: Number.isFinite(le) ? String(le) : '+Inf' },
					value: count,
				})),
				{ metricName: `${metricName}_sum`, labels, value: of.sum },
				{ metricName: `${metricName}_count`, labels, value: of.count },
			]),
		);
	}

	/** The scrape: all of them in the text format of Prometheus. */
	text(): Promise<string> {
		return this.registry.metrics();
	}

	get contentType(): string {
		return this.registry.contentType;
	}

	/** prom-client's own classes are told each value when it arises; one that is read needs its interface only. */
	#add(kind: string, name: string, help: string, read: (metricName: string) => Promise<Line[]>): void {
		const metricName = `slotwise_${name}`;
		const type = kind as unknown as MetricType; // its texts are another type than the names of this enumeration
		const described = { name: metricName, help, type, aggregator: 'sum' as const };
		const metric = { ...described, get: async () => ({ ...described, values: await read(metricName) }) };
		this.registry.registerMetric(metric as unknown as Metric);
	}
}

function lines(metricName: string, reading: Reading): Line[] {
	if (reading === undefined) return [];
	if (typeof reading === 'number') return [{ metricName, labels: {}, value: reading }];
	return reading.map((sample) => ({ metricName, ...sample }));
}

/**
 * What every process has: processor, memory, garbage collection, open files, the event loop's lag (under the names that
 * every Node.js program gives them), and what was built and started.
 */
export function processMetrics(metrics: Metrics, config: Config, version: string): void {
	collectDefaultMetrics({ register: metrics.registry });
	const labels = { version, node: process.versions.node, form: config.form, services: config.services.join(' ') };
	metrics.gauge('build_info', 'Always 1: what runs here', () => [{ labels, value: 1 }]);
}
