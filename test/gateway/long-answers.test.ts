import { describe, expect, test } from '@jest/globals';
import { isLong, LongAnswers } from '../../services/gateway/admission/waiting-line.ts';
import { isError } from '../../shared/contract/errors.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { Reading } from '../../shared/work/reading.ts';
import { until } from '../support/until.ts';

const AT_ONCE = 2;

/** One that is made until the test says that it is done. */
interface Making {
	end(): void;
	fail(): void;
}

class World {
	readonly long = new LongAnswers();
	readonly begun: string[] = [];
	readonly making = new Map<string, Making>();

	/** Asks for an answer; `name` tells it from the others. */
	ask(account: string, name: string, reading = new Reading(account, new Deadline(60_000))): Promise<string> {
		const make = () => {
			this.begun.push(name);
			return new Promise<string>((resolve, reject) => {
				this.making.set(name, { end: () => resolve(name), fail: () => reject(new Error(name)) });
			});
		};
		return this.long.run(account, reading, make);
	}

	/** `count` answers of an account, named by it and their number; each is handled. */
	askMany(account: string, count: number): Promise<unknown>[] {
		return Array.from({ length: count }, (_, at) =>
			this.ask(account, `${account}${at}`).catch((error: Error) => error),
		);
	}

	/** Ends answers as they are made, until none is left. */
	async endAll(asked: Promise<unknown>[]): Promise<unknown[]> {
		let isOver = false;
		const all = Promise.all(asked).finally(() => {
			isOver = true;
		});
		await until(() => {
			for (const one of this.making.values()) one.end();
			return isOver;
		});
		return all;
	}
}

/** Lets those go on that may. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('X6: how many long answers are made at once', () => {
	test.each([
		[{ page_size: 101 }, true],
		[{ no_pagination: true }, true],
		[{ page_size: 100 }, false],
		[{ no_pagination: false }, false],
		[{ service_ids: [1, 2] }, true],
		[{ service_ids: [1] }, false],
		[{}, false],
	])('X6: When %j is asked for, then it is long: %s', (query, expected) => {
		expect(isLong(query)).toBe(expected);
	});

	test('X6: When an account asks for more than two, then the third waits, and they are made in the order of arrival', async () => {
		const world = new World();
		const asked = world.askMany('a', 5);
		await settled();
		expect(world.begun).toEqual(['a0', 'a1']);
		for (const [ended, next] of [
			['a1', 'a2'],
			['a0', 'a3'],
			['a2', 'a4'],
		] as const) {
			world.making.get(ended)!.end();
			await settled();
			expect(world.begun.at(-1)).toBe(next);
			expect(world.begun).toHaveLength(AT_ONCE + Number(next[1]) - 1);
		}
		expect(await world.endAll(asked)).toEqual(['a0', 'a1', 'a2', 'a3', 'a4']);
	});

	test('X7: When many of one account wait, then those of another begin at once', async () => {
		const world = new World();
		const asked = world.askMany('a', 50);
		asked.push(...world.askMany('b', AT_ONCE));
		await settled();
		expect(world.begun.filter((name) => name.startsWith('b'))).toHaveLength(AT_ONCE);
		await world.endAll(asked);
	});

	test('X6: When one fails, then its place is for the next', async () => {
		const world = new World();
		const asked = world.askMany('a', AT_ONCE + 1);
		await settled();
		world.making.get('a1')!.fail();
		await settled();
		expect(world.begun.at(-1)).toBe('a2');
		expect(await world.endAll(asked)).toContainEqual(new Error('a1'));
	});

	test('N2: When half of its time has passed before its turn, then it is refused as overload is, and is not made', async () => {
		const world = new World();
		const asked = world.askMany('a', AT_ONCE);
		const end = new Deadline(60);
		const late = await world.ask('a', 'late', new Reading('a', end)).catch((error: unknown) => error);
		expect(isError(late, 'service_unavailable')).toBe(true);
		expect(end.at - performance.now()).toBeLessThanOrEqual(35); // a timer may be early
		await world.endAll(asked);
		expect(world.begun).not.toContain('late');
	});

	test('X6: When one that waits is refused, then the others keep their order, and no place is lost', async () => {
		const world = new World();
		const asked = world.askMany('a', AT_ONCE + 1);
		const late = world.ask('a', 'late', new Reading('a', new Deadline(2))).catch((error: Error) => error.message);
		asked.push(world.ask('a', 'behind'));
		await late;
		world.making.get('a0')!.end();
		world.making.get('a1')!.end();
		await settled();
		expect(world.begun.slice(AT_ONCE)).toEqual(['a2', 'behind']);
		await world.endAll(asked);
		const again = world.askMany('a', AT_ONCE + 1);
		await settled();
		expect(world.begun.slice(AT_ONCE + 2)).toEqual(['a0', 'a1']);
		await world.endAll(again);
	});

	test('X6: When the client of one that waits hangs up, then it leaves at once, and nothing is left behind', async () => {
		const world = new World();
		const asked = world.askMany('a', AT_ONCE);
		const reading = new Reading('a', new Deadline(60_000));
		const gone = world.ask('a', 'gone', reading).catch((error: unknown) => error);
		expect(world.long.waiting('a')).toBe(1);
		reading.end();
		expect(world.long.waiting('a')).toBe(0);
		expect(isError(await gone, 'gateway_timeout')).toBe(true);
		await world.endAll(asked);
		expect(world.begun).not.toContain('gone');
		expect(world.long.accounts).toBe(0);
	});

	test('X6: When the client of one that is made hangs up, then its place is given back once', async () => {
		const world = new World();
		const reading = new Reading('a', new Deadline(60_000));
		const asked = world.askMany('a', AT_ONCE);
		asked.push(world.ask('a', 'gone', reading), ...world.askMany('a', 2));
		await settled();
		world.making.get('a0')!.end();
		await settled();
		expect(world.begun.at(-1)).toBe('gone');
		reading.end();
		await settled();
		expect(world.long.waiting('a')).toBe(2);
		await world.endAll(asked);
		expect(world.long.accounts).toBe(0);
	});
});
