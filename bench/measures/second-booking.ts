import { availableParallelism } from 'node:os';
import { SMALL } from '../bench.ts';
import type { Measure, Sample } from '../comparison.ts';
import { createSide } from '../side.ts';

/** Cores that two booking processes, a gateway, the database and the generator need to show what the second one brings */
const ENOUGH_CORES = 8;
const cpuRatio = (ours: Sample, baseline: Sample) => ours.cpu! / baseline.cpu!;

/** With few cores a second process can only be judged by what it costs: CPU for each create, over all processes. */
export const secondBooking: Measure = {
	name: 'second-booking',
	form: 'cluster',
	title: `two booking processes / one: ${availableParallelism() < ENOUGH_CORES ? 'CPU time' : 'creates'}`,
	unit: '/s',
	...(availableParallelism() < ENOUGH_CORES ? { goal: { atMost: 1.1 }, ratio: cpuRatio } : { goal: { atLeast: 1.8 } }),
	async prepare(bench) {
		const two = await bench.site('cluster', SMALL, 2);
		const one = await bench.site('cluster');
		return {
			ours: createSide(bench, two, { name: 'two processes', recipe: two.spread }),
			baseline: createSide(bench, one, { name: 'one process', recipe: one.spread }),
		};
	},
};
