import { setImmediate } from 'node:timers/promises';
import { expect, jest, test } from '@jest/globals';
import { MongoNetworkError } from 'mongodb';
import { reserveBookings } from '../../services/accounts/quota/reserve-bookings.ts';
import { usageKey } from '../../services/accounts/quota/usage-store.ts';
import { monthOf } from '../../shared/calendar/plain-date.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { type AccountsProcess, type AccountsWorld, describeForms } from './accounts-world.ts';

const MONTH = '2026-11';

async function booked(world: AccountsWorld, account_id: string, month = MONTH): Promise<number> {
	return (await world.rows.usage.findOne(usageKey(account_id, month)).lean())?.bookings ?? 0;
}

async function limitStarter(world: AccountsWorld, bookings_per_month: number): Promise<void> {
	await world.rows.plans.updateOne({ name: 'Starter' }, { $set: { bookings_per_month } });
}

let reservations = 0;

/** A reservation by a process that makes no other one */
function reservation(account_id: string, count: number, month = MONTH) {
	return { account_id, count, month, by: `process${++reservations}`, number: 1 };
}

function reserveSome(account_id: string, counts: number[], processes: AccountsProcess[]) {
	return Promise.all(
		counts.map((count, index) =>
			processes[index % processes.length]!.call('accounts.reserveBookings', reservation(account_id, count)),
		),
	);
}

let returns = 0;

/** @param by a process whose returns come one after the other */
function giveBack(accounts: AccountsProcess, account_id: string, count: number, month = MONTH, by = 'test') {
	return accounts.call('accounts.releaseBookings', { account_id, count, month, by, number: ++returns });
}

const total = (answers: { granted: number }[]) => answers.reduce((sum, { granted }) => sum + granted, 0);

describeForms('bookings a month', (openWorld, form) => {
	test('When less is left than was asked for, then what is left is granted, and then nothing', async () => {
		const world = await openWorld();
		const { account_id } = await world.provider('Starter');
		const accounts = await world.start();
		await limitStarter(world, 10);
		const ask = (count: number) => accounts.call('accounts.reserveBookings', reservation(account_id, count));
		expect(await ask(7)).toEqual({ granted: 7 });
		expect(await ask(7)).toEqual({ granted: 3 });
		expect(await ask(7)).toEqual({ granted: 0 });
		expect(await booked(world, account_id)).toBe(10);
	});

	test('R7: When 200 reservations come at once over three processes, 60 in a cluster, then exactly the limit is granted', async () => {
		const world = await openWorld();
		const { account_id } = await world.provider('Starter');
		const processes = [await world.start(), await world.start(), await world.start()];
		// All contend for one row: a loaded server grants so many in time.
		const [length, limit] = form === 'embedded' ? [200, 333] : [60, 100];
		await limitStarter(world, limit);
		const counts = Array.from({ length }, (_, index) => 1 + (index % 5)); // 600 in all, or 180
		const answers = await reserveSome(account_id, counts, processes);
		expect(total(answers)).toBe(limit);
		expect(await booked(world, account_id)).toBe(limit);
		for (const [index, { granted }] of answers.entries()) expect(granted).toBeLessThanOrEqual(counts[index]!);
	});

	test('R7: When reservations and releases run together, then the limit holds at every moment', async () => {
		const world = await openWorld();
		const { account_id } = await world.provider('Starter');
		const processes = [await world.start(), await world.start()];
		await limitStarter(world, 50);
		let running = true;
		const seen: number[] = [];
		const watching = (async () => {
			for (; running; await setImmediate()) seen.push(await booked(world, account_id));
		})();
		let kept = 0;
		const client = async (index: number) => {
			const accounts = processes[index % processes.length]!;
			for (let round = 0; round < 10; round++) {
				const { granted } = await accounts.call('accounts.reserveBookings', reservation(account_id, 4));
				const back = Math.min(granted, (index + round) % 5);
				kept += granted - back;
				if (back > 0) await giveBack(accounts, account_id, back, MONTH, `client${index}`);
			}
		};
		await Promise.all(Array.from({ length: 20 }, (_, index) => client(index)));
		running = false;
		await watching;
		expect(Math.max(...seen)).toBeLessThanOrEqual(50);
		expect(await booked(world, account_id)).toBe(kept);
		const rest = await processes[0]!.call('accounts.reserveBookings', reservation(account_id, 100));
		expect(kept + rest.granted).toBe(50);
	});

	test('When calls of one account come together, then they share a write and are served in order', async () => {
		const world = await openWorld();
		const { account_id } = await world.provider('Starter');
		// Before the process wraps them, and not restored: what it wrapped is called for as long as it lives.
		const writes = jest.spyOn(Object.getPrototypeOf(world.store.connection.collection('usage')), 'updateOne');
		const accounts = await world.start();
		await limitStarter(world, 150);
		const known = Array.from({ length: 20 }, () => reservation(account_id, 1));
		for (const first of known) await accounts.call('accounts.reserveBookings', first);
		const before = writes.mock.calls.length;
		const second = known.map((first) => ({ ...first, number: 2, count: 6 }));
		const answers = await Promise.all(second.map((asked) => accounts.call('accounts.reserveBookings', asked)));
		expect(writes.mock.calls.length - before).toBe(1);
		expect(total(answers)).toBe(120);
		await reserveSome(account_id, [5], [accounts]);
		const late = await reserveSome(account_id, [2, 2, 2, 2], [accounts]);
		expect(late.map(({ granted }) => granted)).toEqual([2, 2, 1, 0]);
	});

	test('When a reservation is given back, then others may have it; never more than was reserved', async () => {
		const world = await openWorld();
		const { account_id } = await world.provider('Starter');
		const accounts = await world.start();
		await limitStarter(world, 10);
		await accounts.call('accounts.reserveBookings', reservation(account_id, 10));
		await giveBack(accounts, account_id, 4);
		expect(await accounts.call('accounts.reserveBookings', reservation(account_id, 10))).toEqual({ granted: 4 });
		await giveBack(accounts, account_id, 11);
		expect(await booked(world, account_id)).toBe(10);
	});

	test('When the UTC month ends, then the quota is whole again, and what is given back goes to its own month', async () => {
		const world = await openWorld();
		const { account_id } = await world.provider('Starter');
		const accounts = await world.start();
		await limitStarter(world, 10);
		world.clock.set('2026-11-30T23:59:59.999Z');
		const month = () => monthOf(world.clock.now());
		const ask = (count: number) => accounts.call('accounts.reserveBookings', reservation(account_id, count, month()));
		expect(await ask(10)).toEqual({ granted: 10 });
		expect(await ask(1)).toEqual({ granted: 0 });
		world.clock.advance(1);
		expect(await ask(11)).toEqual({ granted: 10 });
		await giveBack(accounts, account_id, 3);
		expect([await booked(world, account_id, '2026-11'), await booked(world, account_id, '2026-12')]).toEqual([7, 10]);
	});

	test('When a plan has no limit or allows overages, then all is granted and counted', async () => {
		const world = await openWorld();
		const growth = await world.provider('Growth');
		const starter = await world.provider('Starter');
		await world.rows.plans.updateOne({ name: 'Starter' }, { $set: { overages_enabled: true } });
		const accounts = await world.start();
		for (const { account_id } of [growth, starter]) {
			expect(total(await reserveSome(account_id, [999, 2_000, 1], [accounts]))).toBe(3_000);
			expect(await booked(world, account_id)).toBe(3_000);
		}
	});

	test('When a plan changes, then the new limit counts within 5 s', async () => {
		const world = await openWorld();
		const { account_id } = await world.provider('Starter');
		const accounts = await world.start();
		const ask = () => accounts.call('accounts.reserveBookings', reservation(account_id, 5));
		await ask();
		await limitStarter(world, 7);
		world.clock.advance(5_000);
		expect(await ask()).toMatchObject({ granted: 2 });
		await limitStarter(world, 3);
		world.clock.advance(5_000);
		expect(await ask()).toMatchObject({ granted: 0 });
	});

	test('R7: When the service starts again, then the month goes on', async () => {
		const world = await openWorld();
		const { account_id } = await world.provider('Starter');
		await (await world.start()).call('accounts.reserveBookings', reservation(account_id, 999));
		const again = await world.start();
		expect(await again.call('accounts.reserveBookings', reservation(account_id, 5))).toMatchObject({ granted: 1 });
	});
});

describeForms('deadlines of reservations', (openWorld) => {
	test('When a deadline passed before the write, then nothing is reserved, and its neighbours are served', async () => {
		const world = await openWorld();
		const { account_id } = await world.provider('Starter');
		const reserve = reserveBookings(world.records, async () => 10);
		const [late, inTime] = await Promise.allSettled([
			reserve(reservation(account_id, 4), new Deadline(0)),
			reserve(reservation(account_id, 8), new Deadline(60_000)),
		]);
		expect(late).toMatchObject({ status: 'rejected', reason: { type: 'gateway_timeout' } });
		expect(inTime).toMatchObject({ status: 'fulfilled', value: { granted: 8 } });
		expect(await booked(world, account_id)).toBe(8);
	});
});

describeForms('X16: a lost answer costs no quota', (openWorld) => {
	test('When a reservation is asked for again, then it is counted once, and grants what it granted', async () => {
		const world = await openWorld();
		const { account_id } = await world.provider('Starter');
		const processes = [await world.start(), await world.start()];
		await limitStarter(world, 10);
		const asked = reservation(account_id, 6);
		const again = { ...asked, again: true };
		const answers = await Promise.all(
			[asked, again, again, again].map((one, index) => processes[index % 2]!.call('accounts.reserveBookings', one)),
		);
		expect(answers).toEqual(Array(4).fill({ granted: 6 }));
		await reserveSome(account_id, [10], processes);
		expect(await processes[0]!.call('accounts.reserveBookings', again)).toEqual({ granted: 6 });
		expect(await booked(world, account_id)).toBe(10);
	});

	test('When a reservation lands after its repetition and after the next one, then it counts nothing', async () => {
		const world = await openWorld();
		const { account_id } = await world.provider('Starter');
		const accounts = await world.start();
		await limitStarter(world, 10);
		await reserveSome(account_id, [10], [accounts]);
		const first = reservation(account_id, 4);
		expect(await accounts.call('accounts.reserveBookings', { ...first, again: true })).toEqual({ granted: 0 });
		await giveBack(accounts, account_id, 8);
		expect(await accounts.call('accounts.reserveBookings', { ...first, number: 2, count: 1 })).toEqual({ granted: 1 });
		expect(await accounts.call('accounts.reserveBookings', first)).toEqual({ granted: 0 });
		expect(await booked(world, account_id)).toBe(3);
	});

	test('When the store’s answer is lost, then what was reserved is granted all the same', async () => {
		const world = await openWorld();
		const { account_id } = await world.provider('Starter');
		const reserve = reserveBookings(world.records, async () => 10);
		const collection = world.store.connection.collection('usage');
		const updateOne = collection.updateOne.bind(collection);
		const first = reservation(account_id, 1);
		await reserve(first, new Deadline(60_000));
		const write = jest.spyOn(collection, 'updateOne').mockImplementationOnce(async (...given) => {
			await updateOne(...given);
			throw new MongoNetworkError('connection reset');
		});
		const granted = await reserve({ ...first, number: 2, count: 4 }, new Deadline(60_000));
		write.mockRestore();
		expect([granted, await booked(world, account_id)]).toEqual([{ granted: 4 }, 5]);
	});

	test('When a reservation is lost and then refused, then it counts nothing, also where it lands as room is made', async () => {
		const world = await openWorld();
		const { account_id } = await world.provider('Starter');
		const accounts = await world.start();
		await limitStarter(world, 10);
		const reserve = reserveBookings(world.records, async () => 10);
		const collection = world.store.connection.collection('usage');
		const updateOne = collection.updateOne.bind(collection);
		const first = reservation(account_id, 1);
		await reserve(first, new Deadline(60_000));
		let late = async (): Promise<unknown> => undefined;
		const write = jest.spyOn(collection, 'updateOne').mockImplementationOnce(async (...given) => {
			late = () => updateOne(...given);
			await reserveSome(account_id, [9], [accounts]);
			throw new MongoNetworkError('connection reset');
		});
		expect(await reserve({ ...first, number: 2 }, new Deadline(60_000))).toEqual({ granted: 0 });
		write.mockRestore();
		await giveBack(accounts, account_id, 4);
		await late();
		expect(await booked(world, account_id)).toBe(6);
	});

	test('When many processes came and went, then a month remembers few of them', async () => {
		const world = await openWorld();
		const { account_id } = await world.provider('Growth');
		const accounts = await world.start();
		for (let count = 0; count < 80; count++) await reserveSome(account_id, [1], [accounts]);
		const row = await world.rows.usage.findOne(usageKey(account_id, MONTH)).lean();
		expect([row!.bookings, Object.keys(row!.reserved!).length]).toEqual([80, 64]);
	});
});
