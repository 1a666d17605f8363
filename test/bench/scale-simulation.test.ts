import { describe, expect, test } from '@jest/globals';
import { readCosts } from '../../bench/scale/costs.ts';
import { blockOf, readDocument } from '../../bench/scale/document.ts';
import { workloadAt } from '../../bench/scale/model/workload.ts';
import { Agenda } from '../../bench/scale/simulation/agenda.ts';
import { compareKeys } from '../../bench/scale/simulation/compare-keys.ts';
import { lostRaces } from '../../bench/scale/simulation/races.ts';
import { Random, zipf } from '../../bench/scale/simulation/random.ts';
import { SHARD_KEYS, type ShardKey } from '../../bench/scale/simulation/shard-key.ts';
import { simulateShards } from '../../bench/scale/simulation/simulate-shards.ts';
import { Station } from '../../bench/scale/simulation/station.ts';
import { Traffic } from '../../bench/scale/simulation/traffic.ts';
import { shardsTable } from '../../bench/scale/simulation-tables.ts';

const costs = readCosts();
const [byAccount, hashedWhole, byRange, byPlace, byId] = SHARD_KEYS as [
	ShardKey,
	ShardKey,
	ShardKey,
	ShardKey,
	ShardKey,
];

interface Visit {
	arrival: number;
	done: number;
	service: number;
}

/** Arrivals at random to a station with one or more servers, each as fast. */
function visits(servers: number, rate: number, service: number, count: number, seed = 1): Visit[] {
	const random = new Random(seed);
	const station = new Station(servers);
	let clock = 0;
	return Array.from({ length: count }, () => {
		clock += random.exponential(1 / rate);
		const work = random.exponential(service);
		return { arrival: clock, done: station.serve(clock, work), service: work };
	});
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** How many are inside, over time: by coming and going, not by the sum of the stays, which would be circular. */
function meanInside(all: Visit[]): number {
	const agenda = new Agenda<number>();
	for (const { arrival, done } of all) {
		agenda.put(arrival, 1);
		agenda.put(done, -1);
	}
	const end = all.at(-1)!.arrival;
	let [inside, area, last] = [0, 0, 0];
	for (let next = agenda.take(); next !== undefined && next.at <= end; next = agenda.take()) {
		area += inside * (next.at - last);
		last = next.at;
		inside += next.what;
	}
	return area / last;
}

describe('the queues of the simulation', () => {
	test.each([0.3, 0.6, 0.8])('When one server is busy for %d of the time, then the wait is that of M/M/1', (load) => {
		const all = visits(1, load, 1, 200_000);
		const wait = mean(all.map(({ arrival, done, service }) => done - arrival - service));
		expect(wait / (load / (1 - load))).toBeCloseTo(1, 1);
	});

	test('When there are four servers, then the wait is that of M/M/4 (Erlang C)', () => {
		const [servers, offered] = [4, 3];
		const terms = [1, 3, 4.5, 4.5]; // 3^k / k!
		const queue = (3 ** 4 / 24) * (servers / (servers - offered));
		const waits = queue / (terms.reduce((sum, term) => sum + term, 0) + queue);
		const expected = waits / (servers - offered);
		const all = visits(servers, offered, 1, 200_000);
		expect(mean(all.map(({ arrival, done, service }) => done - arrival - service)) / expected).toBeCloseTo(1, 1);
	});

	test.each([1, 4])('When %d servers serve, then Little’s law holds: L = λ W', (servers) => {
		const all = visits(servers, 0.7 * servers, 1, 200_000);
		const rate = all.length / all.at(-1)!.arrival;
		const stay = mean(all.map(({ arrival, done }) => done - arrival));
		expect(meanInside(all) / (rate * stay)).toBeCloseTo(1, 2);
	});

	test('When work comes out of its order, then it is refused, for its end would be wrong', () => {
		const station = new Station(1);
		station.serve(2, 1);
		expect(() => station.serve(1, 1)).toThrow('in order of arrival');
	});

	test('When things are put on the agenda, then they come in order of time, and of being put at one time', () => {
		const agenda = new Agenda<string>();
		for (const [at, what] of [
			[3, 'd'],
			[1, 'a'],
			[2, 'b'],
			[2, 'c'],
		] as const)
			agenda.put(at, what);
		expect([1, 2, 3, 4].map(() => agenda.take()?.what)).toEqual(['a', 'b', 'c', 'd']);
		expect(agenda.take()).toBeUndefined();
	});

	test('When ranks are drawn by the law of Zipf, then the largest accounts have their share', () => {
		const [random, rank] = [new Random(3), zipf(1_000_000)];
		const drawn = Array.from({ length: 200_000 }, () => rank(random));
		const share = workloadAt(100).hottest.account;
		for (const [n, digits] of [
			[1, 2],
			[2, 2],
			[2_000, 4],
		] as const) {
			expect(drawn.filter((one) => one === n).length / drawn.length).toBeCloseTo(share / n, digits);
		}
		expect(Math.max(...drawn.slice(0, 50_000))).toBeLessThanOrEqual(1_000_000);
	});
});

describe('shards', () => {
	const trial = (key: ShardKey, seed = 5, scale = 100) => {
		const traffic = new Traffic(costs, workloadAt(scale), new Random(seed));
		const shards = Math.max(2, Math.ceil(traffic.load / 16 / 0.5));
		return simulateShards(key, traffic, new Random(seed + 1), { shards, cores: 16, requests: 6_000 });
	};

	const whole = trial(byAccount);

	test('When the seed is the same, then so is every figure; with another one they differ', () => {
		expect(trial(byAccount)).toEqual(whole);
		expect(trial(byAccount, 6)).not.toEqual(whole);
	});

	test('When an account has half of all requests, then its shard is found too full, and a key that splits it helps', () => {
		const planted = (key: ShardKey) => {
			const workload = workloadAt(100);
			// With four accounts the largest has 48 % of all.
			const few = { ...workload, accounts: 4, hottest: { account: 0.48, slot: 0.1 } };
			const traffic = new Traffic(costs, few, new Random(5));
			return simulateShards(key, traffic, new Random(6), { shards: 12, cores: 16, requests: 6_000 });
		};
		const [whole, split] = [planted(byAccount), planted(byRange)];
		expect(whole.hottest / whole.mean).toBeGreaterThan(4);
		expect(split.hottest / split.mean).toBeLessThan(2);
	});

	test('When bookings are sharded by account, then each statement asks one shard; by place or by id, reads ask all', () => {
		expect(whole.asked).toBe(1);
		for (const key of [byPlace, byId]) {
			const { asked, mean } = trial(key);
			expect(asked).toBeGreaterThan(5);
			expect(mean).toBeGreaterThan(2 * whole.mean);
		}
	});

	test('When a key has the account as its prefix, then no seat and no customer is booked twice; by id they are', () => {
		for (const race of ['one seat', 'one customer', 'one key, same request'] as const) {
			for (const key of [byAccount, byRange, hashedWhole, byPlace]) expect(lostRaces(key, race)).toBe(0);
			expect(lostRaces(byId, race)).toBeGreaterThan(800);
		}
	});

	test('When a key splits an account, then one Idempotency-Key lets two different requests in; not by account alone', () => {
		expect(lostRaces(byAccount, 'one key, another request')).toBe(0);
		for (const key of [byRange, byPlace]) expect(lostRaces(key, 'one key, another request')).toBeGreaterThan(800);
	});

	test('When the table of docs/scale.md is made anew at 10 times, then its rows are the same', () => {
		const rows = shardsTable(compareKeys(costs, { scales: [10] }))
			.split('\n')
			.slice(2);
		const documented = blockOf(readDocument(), 'shards')!.split('\n');
		expect(documented.slice(2, 2 + rows.length)).toEqual(rows);
	});
});
