import { describe, expect, test } from '@jest/globals';
import { AccountTurns, TURNS } from '../../services/gateway/account-turns.ts';
import { Deadline } from '../../shared/deadline.ts';
import { isError } from '../../shared/errors.ts';

const { SERVED, POLLS } = TURNS;
const soon = () => new Deadline(9_000);

class World {
	readonly begun: string[] = [];
	readonly turns: AccountTurns;

	constructor(isBusy = false) {
		this.turns = new AccountTurns(() => isBusy);
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
			for (let ended = 0; ended < 500; ended++) world.turns.end('a', 0);
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
			for (let ended = 1; ended < 100; ended++) world.turns.end('a', units);
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
			world.turns.end('a', 5_000);
			world.turns.end('b', 0);
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

	test('X7: When an account has a hundred requests that wait for events, then a further one does not wait', () => {
		const { turns } = new World();
		for (let poll = 0; poll < POLLS; poll++) expect(turns.beginWaiting('a')).toBe(true);
		expect([turns.beginWaiting('a'), turns.beginWaiting('b')]).toEqual([false, true]);
		turns.endWaiting('a');
		expect(turns.beginWaiting('a')).toBe(true);
	});
});
