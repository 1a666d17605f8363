import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { LargeAnswers, type Sending } from '../../services/gateway/admission/large-answers.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { Reading } from '../../shared/work/reading.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;

/** Large answers that go as the test says. */
class World {
	readonly large = new LargeAnswers();
	readonly going = new Map<string, Sending>();
	readonly ended: string[] = [];
	readonly cut: string[] = [];

	/** @param name such as `a1`: its account, and which one of it */
	ask(name: string, size: number, patience = 60_000): Reading {
		const reading = new Reading(name[0]!, new Deadline(patience));
		const cut = () => {
			this.cut.push(name);
			this.end(name);
		};
		this.large.room(name[0]!, size * MIB, reading, cut).then(
			(sending) => this.going.set(name, sending),
			(error: Error & { type: string }) => this.ended.push(`${name}: ${error.type}`),
		);
		return reading;
	}

	end(name: string): void {
		this.going.get(name)!.end();
		this.going.delete(name);
	}

	async names(): Promise<string[]> {
		await new Promise((resolve) => setImmediate(resolve));
		return [...this.going.keys()];
	}
}

/** From now on time passes by `jest.advanceTimersByTime` alone: how busy the machine is does not count. */
function stopTheClock(): void {
	jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
}

describe('X6: large answers', () => {
	afterEach(() => {
		jest.useRealTimers();
	});

	test('When several have no room beside each other, then they go one after the other, and none is cut', async () => {
		const world = new World();
		for (const name of ['a1', 'a2', 'a3']) world.ask(name, 10);
		for (const name of ['a1', 'a2', 'a3']) {
			expect(await world.names()).toEqual([name]);
			expect(world.large.bytes).toBe(10 * MIB);
			world.end(name);
		}
		expect([world.cut, world.large.bytes, world.large.dropped]).toEqual([[], 0, 0]);
	});

	test('When a client took enough of one, then the next goes before it has all', async () => {
		const world = new World();
		for (const name of ['a1', 'a2']) world.ask(name, 10);
		expect(await world.names()).toEqual(['a1']);
		world.going.get('a1')!.taken(3 * MIB);
		expect(await world.names()).toEqual(['a1']);
		world.going.get('a1')!.taken(MIB);
		expect(await world.names()).toEqual(['a1', 'a2']);
	});

	test('X7: When other accounts read slowly, then the first one of an account need not wait for them', async () => {
		const world = new World();
		for (const name of ['a1', 'a2', 'b1', 'b2', 'c1', 'd1']) world.ask(name, 10);
		expect(await world.names()).toEqual(['a1', 'b1', 'c1', 'd1']);
		expect(world.cut).toEqual([]);
	});

	test('When several accounts wait, then the one with the least under way is next', async () => {
		const world = new World();
		for (const name of ['a1', 'b1', 'a2', 'b2']) world.ask(name, 10);
		expect(await world.names()).toEqual(['a1', 'b1']);
		world.going.get('a1')!.taken(6 * MIB);
		expect(await world.names()).toEqual(['a1', 'b1']);
		world.going.get('b1')!.taken(8 * MIB);
		expect(await world.names()).toEqual(['a1', 'b1', 'b2']);
	});

	test('When one is larger than all may be together, then it goes alone', async () => {
		const world = new World();
		for (const name of ['a1', 'a2']) world.ask(name, 20);
		expect(await world.names()).toEqual(['a1']);
		world.end('a1');
		expect(await world.names()).toEqual(['a2']);
	});

	test('When a client takes nothing, then it is cut where others wait, and only there', async () => {
		stopTheClock();
		const world = new World();
		world.ask('a1', 10);
		expect(await world.names()).toEqual(['a1']);
		jest.advanceTimersByTime(4_500);
		expect(world.cut).toEqual([]);
		world.ask('a2', 10);
		jest.advanceTimersByTime(250);
		expect([world.cut, await world.names(), world.large.dropped]).toEqual([['a1'], ['a2'], 1]);
	});

	test('When a client takes 600 KiB a second, of which the kernel tells every 2.5 s, then it is not cut, though others wait', async () => {
		stopTheClock();
		const world = new World();
		for (const name of ['a1', 'a2']) world.ask(name, 12);
		await world.names();
		for (let report = 0; report < 3; report++) {
			jest.advanceTimersByTime(2_500);
			world.going.get('a1')!.taken(1.4 * MIB);
		}
		expect([world.cut, await world.names()]).toEqual([[], ['a1']]);
		world.end('a1');
	});

	test('When a client took most of one fast, and then takes nothing, then it is cut', async () => {
		stopTheClock();
		const world = new World();
		for (const name of ['a1', 'a2']) world.ask(name, 20);
		expect(await world.names()).toEqual(['a1']);
		world.going.get('a1')!.taken(15 * MIB);
		jest.advanceTimersByTime(4_000);
		expect(world.cut).toEqual([]);
		jest.advanceTimersByTime(250);
		expect([world.cut, await world.names()]).toEqual([['a1'], ['a2']]);
	});

	test('When a client takes a little now and then, then it is cut as well, and one that goes on taking is not', async () => {
		stopTheClock();
		const world = new World();
		for (const name of ['a1', 'b1', 'a2']) world.ask(name, 10);
		for (let looks = 0; looks < 100 && !(await world.names()).includes('a2'); looks++) {
			world.going.get('a1')?.taken(1024);
			world.going.get('b1')!.taken(MIB / 8);
			jest.advanceTimersByTime(100);
		}
		expect([world.cut, await world.names()]).toEqual([['a1'], ['b1', 'a2']]);
	});

	test('When there is no room for half of the time that is left, or nobody waits any more, then that is told', async () => {
		const world = new World();
		world.ask('a1', 10);
		world.ask('a2', 10, 200);
		world.ask('a3', 10).end();
		await until(() => world.ended.length === 2);
		expect(world.ended.sort()).toEqual(['a2: service_unavailable', 'a3: gateway_timeout']);
		world.end('a1');
		world.ask('a4', 10);
		expect(await world.names()).toEqual(['a4']);
	});

	test('When too much waits, then what comes is refused at once', async () => {
		const world = new World();
		for (let count = 0; count < 11; count++) world.ask(`a${count}`, 10);
		await world.names();
		expect(world.ended).toEqual(['a10: service_unavailable']);
	});
});
