import { availableParallelism } from 'node:os';
import { type Bench, SMALL } from '../bench.ts';
import type { Measure, Sample, Side } from '../comparison.ts';
import { createSide } from '../side.ts';
import type { Site } from '../site.ts';

/** Cores that two booking processes, a gateway, the database and the generator need to show what the second one brings */
const ENOUGH_CORES = 8;
/** How much longer than others each side warms up: what two processes share is compiled half as soon in each */
const WARM_UP = 7;
const cpuRatio = (ours: Sample, baseline: Sample) => ours.cpu! / baseline.cpu!;
const isJudgedByCpu = availableParallelism() < ENOUGH_CORES;

/** With few cores a second process can only be judged by what it costs: CPU for each create, over all processes. */
const secondBooking = (name: string, title: string, clientsOfTwo: (bench: Bench) => number): Measure => ({
	name,
	form: 'cluster',
	title: `${title}: ${isJudgedByCpu ? 'CPU time' : 'creates'}`,
	unit: '/s',
	...(isJudgedByCpu ? { goal: { atMost: 1.1 }, ratio: cpuRatio } : { goal: { atLeast: 1.8 } }),
	async prepare(bench) {
		return {
			ours: await warm(bench, await bench.site('cluster', SMALL, 2), 'two processes', clientsOfTwo(bench)),
			baseline: await warm(bench, await bench.site('cluster'), 'one process', bench.options.clients),
		};
	},
});

/** The same clients for both, and as many for each process: a batch serves those who wait for one process. */
export const secondBookings: readonly Measure[] = [
	secondBooking('second-booking', 'two booking processes / one', (bench) => bench.options.clients),
	secondBooking(
		'second-booking-twice-the-clients',
		'two booking processes with 128 clients / one with 64',
		(bench) => 2 * bench.options.clients,
	),
];

async function warm(bench: Bench, site: Site, name: string, clients: number): Promise<Side> {
	const side = createSide(bench, site, { name, recipe: site.spread, clients });
	await side.measure(WARM_UP * bench.options.warmUp);
	return side;
}
