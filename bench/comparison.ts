import { loadavg } from 'node:os';
import type { Form } from '../test/support/product.ts';
import type { Bench } from './bench.ts';

/** What a ratio should be: ours / baseline. */
export type Goal = { atLeast: number } | { atMost: number };

/** One look at one side. */
export interface Sample {
	/** Answers a second, or ms, as the measure says */
	value: number;
	/** µs of CPU of the measured processes for each answer, what they do afterwards because of it included */
	cpu?: number;
	/** Share of a processor that the load generator used */
	generatorCpu?: number;
	/** Why the goal is missed, whatever the ratio */
	flaw?: string;
	/** More that is worth printing */
	notes?: Record<string, string | number>;
}

export interface Side {
	name: string;
	/** @param seconds that a load takes */
	measure(seconds: number): Promise<Sample>;
}

export interface Measure {
	name: string;
	form: Form;
	title: string;
	unit: '/s' | 'ms';
	goal?: Goal;
	/** Another ratio of a round than that of the two values */
	ratio?: (ours: Sample, baseline: Sample) => number;
	/** Starts what it needs; what is started by the bench is kept for the measures that follow. */
	prepare(bench: Bench): Promise<Sides>;
}

export interface Sides {
	ours: Side;
	baseline: Side;
	/** Leaves what the measures share as it was */
	end?: () => Promise<void>;
}

export interface Round {
	ours: Sample;
	baseline: Sample;
	ratio: number;
}

export interface Outcome {
	measure: Measure;
	baseline: string;
	rounds: Round[];
	/** Load average of the minute before it began */
	load: number;
}

/** Measures both sides in turn, after both have run for a while. */
export async function compare(bench: Bench, measure: Measure): Promise<Outcome> {
	const { rounds, seconds, warmUp } = bench.options;
	const { ours, baseline, end } = await measure.prepare(bench);
	const load = loadavg()[0]!;
	const ratio = measure.ratio ?? ((one: Sample, other: Sample) => one.value / other.value);
	await baseline.measure(warmUp);
	await ours.measure(warmUp);
	const outcome: Outcome = { measure, baseline: baseline.name, rounds: [], load };
	for (let round = 0; round < rounds; round++) {
		const other = await baseline.measure(seconds);
		const one = await ours.measure(seconds);
		outcome.rounds.push({ ours: one, baseline: other, ratio: ratio(one, other) });
	}
	await end?.();
	return outcome;
}
