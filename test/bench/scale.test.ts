import { describe, expect, test } from '@jest/globals';
import { type Costs, readCosts } from '../../bench/scale/costs.ts';
import { blockOf, readDocument } from '../../bench/scale/document.ts';
import { batchRate, COMPONENTS, utilisations } from '../../bench/scale/model/components.ts';
import { limits, limitsOn, SCALES, saturation } from '../../bench/scale/model/first-limits.ts';
import { demand, processesFor } from '../../bench/scale/model/processes.ts';
import { harmonic, keyLookUps, requestsOf, workloadAt } from '../../bench/scale/model/workload.ts';
import { racesTable } from '../../bench/scale/simulation-tables.ts';
import { LIFTS, modelTables } from '../../bench/scale/tables.ts';

const costs = readCosts();

describe('the model of many machines', () => {
	test('When every rate doubles, then what the requests ask of each counter doubles', () => {
		const [one, two] = [workloadAt(3), workloadAt(6)];
		for (const counter of ['cpu.gateway', 'cpu.booking', 'cpu.database', 'nats.in_msgs', 'redis.evalsha']) {
			expect(demand(costs, two, counter) / demand(costs, one, counter)).toBeCloseTo(2, 9);
		}
	});

	test('When the load doubles without other accounts and processes, then Redis and the disk are twice as full', () => {
		const workload = workloadAt(1);
		const rates = Object.fromEntries(Object.entries(workload.rates).map(([kind, rate]) => [kind, 2 * rate]));
		const [one, two] = [workload, { ...workload, rates, events: 2 * workload.events }].map((at) =>
			utilisations(costs, at),
		);
		const twice = ['Redis', 'database disk', 'webhook of the hottest account', 'hottest slot and date'] as const;
		for (const name of twice) expect(two![name] / one![name]).toBeCloseTo(2, 9);
	});

	test('When everything costs twice as much of a processor, then a component is full at half of the load or earlier', () => {
		const kinds = Object.entries(costs.kinds).map(([kind, cost]) => {
			const per = Object.entries(cost.per).map(([name, value]) => [name, name.startsWith('cpu.') ? 2 * value : value]);
			return [kind, { ...cost, per: Object.fromEntries(per) }];
		});
		const dear: Costs = { ...costs, kinds: Object.fromEntries(kinds) };
		const at = (of: Costs, name: string) => limits(of).find(({ component }) => component === name)!.at;
		for (const name of ['Redis', 'database primary', 'NATS server']) {
			expect(at(dear, name)).toBeLessThan(0.52 * at(costs, name));
		}
	});

	test('When the scale grows, then no component gets emptier, and each is full exactly where its limit is told', () => {
		const scales = [1, 2, 5, 10, 50, 100, 500, 1_000].map((scale) => utilisations(costs, workloadAt(scale)));
		for (const name of COMPONENTS) {
			const used = scales.map((one) => one[name]);
			expect(used).toEqual([...used].sort((a, b) => a - b));
		}
		for (const { component, at } of limits(costs)) {
			expect(utilisations(costs, workloadAt(1.01 * at))[component]).toBeGreaterThan(1);
			expect(utilisations(costs, workloadAt(0.99 * at))[component]).toBeLessThan(1);
		}
	});

	test('When nothing is ever full, then its limit is told as none', () => {
		expect(saturation((scale) => scale / 50)).toBeCloseTo(50, 2);
		expect(saturation(() => 0.5)).toBe(Number.POSITIVE_INFINITY);
	});

	test('When limits are told by scale, then each comes up once, unless it was lifted with another', () => {
		const all = [
			{ component: 'database primary', at: 5 },
			{ component: 'Redis', at: 7 },
			{ component: 'database disk', at: 20 },
			{ component: 'NATS server', at: 30 },
		] as const;
		const told = SCALES.map((scale) => limitsOn(all, scale).map(({ component }) => component));
		expect(told).toEqual([[], ['database primary', 'Redis'], ['NATS server'], []]);
	});

	test('When a batch costs a start and a share for each, then full batches give the rate', () => {
		const holds = [1, 10, 40].map((size) => ({ clients: size, size, ms: 20 + 2 * size }));
		expect(batchRate(holds, 250)).toBeCloseTo((1_000 * 250) / 520, 6);
	});

	test('When keys are believed for no time, then each request looks its key up; for ever, then none does', () => {
		const workload = workloadAt(1);
		expect(keyLookUps(workload, 4, 0, Number.POSITIVE_INFINITY) / requestsOf(workload)).toBeCloseTo(1, 2);
		expect(keyLookUps(workload, 4, 1e9, Number.POSITIVE_INFINITY)).toBeLessThan(1);
		expect(keyLookUps(workload, 8, 4, 10_000)).toBeGreaterThan(keyLookUps(workload, 4, 4, 10_000));
	});

	test('When accounts follow the law of Zipf, then the shares of all of them make one', () => {
		const sum = Array.from({ length: 10_000 }, (_, rank) => 1 / (rank + 1)).reduce((total, one) => total + one, 0);
		expect(harmonic(10_000)).toBeCloseTo(sum, 6);
		expect(workloadAt(1).hottest.account).toBeCloseTo(1 / sum, 6);
	});

	test('When there is hardly any load, then there are still two processes of each service', () => {
		expect(Object.values(processesFor(costs, workloadAt(0.01)).counts)).toEqual([2, 2, 2, 2, 2, 2]);
	});
});

describe('docs/scale.md', () => {
	test.each(Object.entries(modelTables(costs)))('has the table %s as the model prints it', (name, content) => {
		expect(blockOf(readDocument(), name)).toBe(content);
	});

	test('has the races as the simulation prints them', () => {
		expect(blockOf(readDocument(), 'races')).toBe(racesTable());
	});

	test('says of every component what lifts it', () => {
		for (const component of COMPONENTS) {
			expect(LIFTS[component]).toBeTruthy();
			expect(readDocument()).toContain(`**${component}**`);
		}
	});

	test('stays short enough to be read', () => {
		expect(readDocument().split('\n').length).toBeLessThanOrEqual(200);
	});
});
