import { describe, expect, test } from '@jest/globals';
import { RESTS } from '../../services/gateway/admission/account-rests.ts';
import { AccountTurns, TURNS } from '../../services/gateway/admission/account-turns.ts';
import { isError } from '../../shared/contract/errors.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { Reading } from '../../shared/work/reading.ts';
import { until } from '../support/until.ts';

const { SERVED, POLLS } = TURNS;
const { DEAR, LINGER } = RESTS;
/** ms */
const TOOK = 50;
/** Cheap requests that are at work at once, and so much that they are not little */
const MANY = 50;
const soon = () => new Deadline(9_000);

class World {
	readonly begun: string[] = [];
	now = 1_000;
	readonly turns: AccountTurns;

	constructor(isBusy = false) {
		this.turns = new AccountTurns(
			() => isBusy,
			() => this.now,
		);
	}

	/** Ends a request that wrote so much that it is dear. */
	endDear(account: string): void {
		this.turns.end(account, { units: 100 * DEAR, written: 100 * DEAR, took: TOOK });
	}

	/** Asks for so many turns. */
	ask(account: string, count: number, deadline = soon()): void {
		for (let asked = 0; asked < count; asked++) {
			const turn = this.turns.begin(account, deadline);
			if (turn === undefined) this.begun.push(account);
			else
				void turn.then(
					() => this.begun.push(account),
					() => {},
				);
		}
	}

	/** Ends a request that read so many units. */
	end(account: string, units: number): void {
		this.turns.end(account, { units, written: 0, took: 1 });
	}

	/** Who began since, once those whose turn it is know. */
	async next(): Promise<string[]> {
		await Promise.resolve();
		return this.begun.splice(0);
	}
}

describe('N2: whose turn it is', () => {
	test('N2: When an account is alone, then all of its requests begin at once', async () => {
		const world = new World(true);
		world.ask('a', 1_200);
		expect(await world.next()).toHaveLength(1_200);
	});

	test.each([false, true])(
		'N2: When one account fills the gateway (busy: %s), then another begins at once, and each has its share',
		async (isBusy) => {
			const world = new World(isBusy);
			world.ask('a', 500);
			world.ask('b', 500);
			expect((await world.next()).filter((account) => account === 'b')).toHaveLength(SERVED / 2);
			for (let ended = 0; ended < 500; ended++) world.end('a', 0);
			expect(new Set(await world.next())).toEqual(new Set(['b']));
		},
	);

	test.each([
		[0, SERVED - 2],
		[970, 0],
	])(
		'N2: When the event loop is busy and requests are %d units of work each, then as many more begin beside another account: %d',
		async (units, more) => {
			const world = new World(true);
			world.ask('a', 100);
			for (let ended = 1; ended < 100; ended++) world.end('a', units);
			world.ask('b', 1);
			await world.next();
			world.ask('a', 200);
			expect(await world.next()).toHaveLength(more);
		},
	);

	test('N2: When requests of two accounts wait, then the next is of the one that was served less, whoever asked first', async () => {
		const world = new World();
		world.ask('c', SERVED);
		world.ask('a', SERVED);
		world.ask('b', SERVED);
		await world.next();
		const order: string[] = [];
		for (let round = 0; round < 6; round++) {
			world.end('a', 5_000);
			world.end('b', 0);
			order.push(...(await world.next()));
		}
		expect(order.filter((account) => account === 'b').length).toBeGreaterThanOrEqual(6);
	});

	test('N2: When half of its time has passed before its turn, then it is refused as overload is', async () => {
		const world = new World(true);
		world.ask('a', SERVED);
		world.ask('b', SERVED);
		const refusal = await world.turns.begin('b', new Deadline(20))!.catch((error: unknown) => error);
		expect(isError(refusal, 'service_unavailable')).toBe(true);
		expect(world.turns.refused).toBe(1);
	});

	test('N3: When the client of one that waits has gone, then it leaves at once, and is no refusal', async () => {
		const world = new World();
		world.ask('a', SERVED);
		world.ask('b', SERVED);
		const reading = new Reading('b', soon());
		const gone = world.turns.begin('b', soon(), reading)!.catch((error: unknown) => error);
		const before = world.turns.waiting;
		reading.end();
		expect(isError(await gone, 'gateway_timeout')).toBe(true);
		expect([before - world.turns.waiting, world.turns.refused]).toEqual([1, 0]);
	});

	test('X7: When an account has a hundred requests that wait for events, then a further one does not wait', () => {
		const { turns } = new World();
		for (let poll = 0; poll < POLLS; poll++) expect(turns.beginWaiting('a')).toBe(true);
		expect([turns.beginWaiting('a'), turns.beginWaiting('b')]).toEqual([false, true]);
		turns.endWaiting('a');
		expect(turns.beginWaiting('a')).toBe(true);
	});

	describe('X7: dear writes', () => {
		/** `a` has a dear write at work, and four that wait. */
		async function attacked(world: World): Promise<void> {
			world.ask('bystander', 1);
			world.end('bystander', 0);
			world.ask('a', 1);
			world.endDear('a');
			world.ask('a', 5);
			world.now += TOOK;
			world.ask('bystander', 1);
			world.end('bystander', 0);
			await until(() => world.begun.filter((account) => account === 'a').length === 2);
			await world.next();
		}

		test('X7: When an account sends dear writes and another is there, then one is at work, and then none for as long as it took', async () => {
			const world = new World();
			await attacked(world);
			world.endDear('a');
			world.now += TOOK - 1;
			world.ask('bystander', 1);
			expect(await world.next()).toEqual(['bystander']);
			world.now += 1;
			world.end('bystander', 0);
			expect(await world.next()).toEqual(['a']);
		});

		test('X7: When nobody asks for anything any more, then the rest is over by itself', async () => {
			const world = new World();
			await attacked(world);
			world.endDear('a');
			world.now += TOOK;
			await until(() => world.begun.length === 1);
		});

		test('X7: When the last other account was there a second ago, then an account has everything again', async () => {
			const world = new World();
			await attacked(world);
			world.now += LINGER;
			world.endDear('a');
			expect(await world.next()).toEqual(['a', 'a', 'a', 'a']);
		});

		test('X7: When one account keeps the event loop busy with cheap requests, then it rests for as long as they take', async () => {
			const world = new World(true);
			world.ask('bystander', 1);
			world.ask('a', MANY);
			for (let ended = 0; ended < MANY; ended++) world.end('a', 0);
			world.ask('a', 3);
			expect(await world.next()).toHaveLength(1 + MANY);
			world.now += 1; // as long as each took
			world.end('bystander', 0);
			expect(await world.next()).toEqual(['a', 'a', 'a']);
		});

		test.each([
			['the event loop is not busy', false, 0],
			['another account asks for as much', true, MANY],
		])('X7: When an account sends many cheap requests and %s, then it does not rest', async (_, isBusy, others) => {
			const world = new World(isBusy);
			for (let round = 0; round < MANY; round++) {
				for (const account of round < others ? ['b', 'a'] : ['a']) {
					world.ask(account, 1);
					world.end(account, 0);
				}
			}
			world.ask('b', 1);
			world.ask('a', 3);
			expect((await world.next()).slice(-4)).toEqual(['b', 'a', 'a', 'a']);
		});

		test('X7: When an account reads much, then it does not rest: long reads do between their slices', async () => {
			const world = new World();
			world.ask('bystander', 1);
			world.ask('a', 1);
			world.end('a', 100 * DEAR);
			world.ask('a', 5);
			expect(await world.next()).toEqual(['bystander', 'a', 'a', 'a', 'a', 'a', 'a']);
		});
	});
});
