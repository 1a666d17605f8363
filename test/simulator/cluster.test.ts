import { describe, expect, test } from '@jest/globals';
import { Cluster } from './cluster.ts';
import { Agenda } from './world/agenda.ts';
import { Random } from './world/random.ts';
import type { World } from './world/world.ts';

/** A world in which nothing runs. @param cannot how many starts fail */
function worldWhere(cannot: number) {
	const starts: { name: string; at: number }[] = [];
	const agenda = new Agenda();
	let left = cannot;
	const world = {
		agenda,
		random: new Random('7'),
		network: { listen: () => {} },
		tell: () => {},
		process: (name: string, address: string) => ({ name, address, alive: true }),
		startProduct(process: { name: string; alive: boolean }, _setup: object, failed: () => void) {
			starts.push({ name: process.name, at: agenda.now });
			if (left-- <= 0) return;
			process.alive = false;
			failed();
		},
	};
	return { world: world as unknown as World, starts };
}

const SHAPE = {
	accounts: 1,
	processes: { gateway: 0, booking: 1, catalog: 0, core: 0, log: 0 },
	clocks: { wrong: 0 },
	limits: new Map(),
};

describe('A process of the simulated cluster', () => {
	test('When it cannot start, then it is started again a second later, until it can', () => {
		const { world, starts } = worldWhere(2);
		new Cluster(world, SHAPE);
		while (world.agenda.step(60_000));
		expect(starts).toEqual([0, 1_000, 2_000].map((at) => ({ name: 'booking-1', at })));
	});

	test('When it is not needed any more, then it is not', () => {
		const { world, starts } = worldWhere(1);
		const [member] = new Cluster(world, SHAPE).members;
		member!.gone = true;
		while (world.agenda.step(60_000));
		expect(starts).toHaveLength(1);
	});
});
