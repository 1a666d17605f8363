import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { customerService } from '../../services/customer/customer.service.ts';
import { CustomerStore, customerModel } from '../../services/customer/customer-store.ts';
import type { DirectoryEntry } from '../../shared/contract/actions.ts';
import { SKEW } from '../../shared/engine/clock.ts';
import { describeForms, type World } from '../notifications/service-world.ts';
import { until } from '../support/until.ts';

const DAY = 24 * 3_600_000;

/** The entry of a booking's version; a deleted booking's has no customer. */
function entry(booking_id: number, version: number, deleted = false, account_id = 'a'): DirectoryEntry {
	const at = '2026-11-21T09:30:00.000Z';
	const name = `name ${version}`;
	const email = `ada${version}@example.com`;
	const customer = { id: booking_id, name, email, phone: '+15550100', created_at: at, updated_at: at };
	const of = { service_id: 3, date: '2026-11-23', status: 'pending' as const };
	return { account_id, booking_id, version, ...of, customer: deleted ? null : customer };
}

/** What the store holds of an account's directory, read past the service. */
const directoryOf = (world: World, account_id = 'a') =>
	customerModel(world.store.connection).find({ account_id }).sort({ _id: 1 }).lean();

const sweep = (world: World) => new CustomerStore(world.store.connection).removeMarkers(world.clock.now());

describeForms('record', (openWorld) => {
	test('When entries of several accounts come, then each is in its account’s directory as it came', async () => {
		const world = await openWorld();
		const customers = await world.start(customerService);
		const entries = [entry(1, 1), entry(2, 1, false, 'b'), entry(3, 4)];
		expect(await customers.call('customer.record', { entries })).toBe('ok');
		const { customer } = entry(3, 4);
		expect((await directoryOf(world)).map((each) => each._id)).toEqual([1, 3]);
		expect((await directoryOf(world))[1]).toEqual({
			...{ _id: 3, account_id: 'a', version: 4, customer, deleted_at: 0 },
			...{ service_id: 3, date: '2026-11-23', status: 'pending', email_key: 'ada4@example.com' },
		});
		expect((await directoryOf(world, 'b')).map((each) => each._id)).toEqual([2]);
	});

	test('When versions come shuffled, repeated and from two processes at once, then the newest stays', async () => {
		const world = await openWorld();
		const processes = await Promise.all([1, 2].map(() => world.start(customerService)));
		const bookings = [1, 2, 3, 4];
		let scenario = 0;
		// Each booking has versions 1 to 5; the last of an even booking is its removal.
		const call = fc.record({
			process: fc.nat(1),
			entries: fc.array(fc.tuple(fc.constantFrom(...bookings), fc.integer({ min: 1, max: 5 })), { minLength: 1 }),
		});
		const rounds = fc.array(fc.array(call, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 });
		await fc.assert(
			fc.asyncProperty(rounds, async (calls) => {
				const first = ++scenario * 10;
				const newest = new Map<number, number>();
				for (const round of calls) {
					await Promise.all(
						round.map(({ process, entries: given }) => {
							const entries = given.map(([booking, version]) =>
								entry(first + booking, version, booking % 2 === 0 && version === 5),
							);
							return processes[process]!.call('customer.record', { entries }, { timeout: 20_000 });
						}),
					);
					// After each round the directory is at the newest version of all that was acknowledged.
					for (const [booking, version] of round.flatMap((each) => each.entries)) {
						newest.set(booking, Math.max(version, newest.get(booking) ?? 0));
					}
					const found = await customerModel(world.store.connection)
						.find({ account_id: 'a', _id: { $gte: first, $lt: first + 10 } })
						.lean();
					expect(new Map(found.map((each) => [each._id - first, each.version]))).toEqual(newest);
					for (const { _id, version, customer } of found) {
						const removed = (_id - first) % 2 === 0 && version === 5;
						expect(customer).toEqual(removed ? null : entry(_id, version).customer);
					}
				}
			}),
			{ numRuns: 30 },
		);
	});

	test('When a booking is deleted, then nothing of its customer is left, and no late version brings it back', async () => {
		const world = await openWorld();
		const customers = await world.start(customerService);
		const record = (...entries: DirectoryEntry[]) => customers.call('customer.record', { entries });
		await record(entry(1, 1), entry(2, 1));
		await record(entry(1, 3, true), entry(7, 2, true));
		await record(entry(1, 2), entry(7, 1), entry(1, 1));
		const of = { service_id: 3, date: '2026-11-23', status: 'pending' };
		const marker = { account_id: 'a', ...of, customer: null, email_key: '', deleted_at: world.clock.now() };
		const [first, second, seventh] = await directoryOf(world);
		expect(first).toEqual({ ...marker, _id: 1, version: 3 });
		expect(second?.customer?.name).toBe('name 1');
		expect(seventh).toEqual({ ...marker, _id: 7, version: 2 });
	});

	test('When a marker is 31 days old, then the sweep removes it, and nothing else', async () => {
		const world = await openWorld();
		const customers = await world.start(customerService);
		const record = (...entries: DirectoryEntry[]) => customers.call('customer.record', { entries });
		const many = Array.from({ length: 600 }, (_, index) => entry(1_000 + index, 2, true));
		await record(entry(1, 1), ...many);
		world.clock.advance(DAY);
		await record(entry(2, 2, true));
		world.clock.advance(30 * DAY + SKEW);
		expect(await sweep(world)).toBe(0); // to the millisecond
		world.clock.advance(1);
		const removed = await Promise.all([sweep(world), sweep(world)]);
		expect(removed[0]! + removed[1]!).toBe(600);
		expect((await directoryOf(world)).map((each) => each._id)).toEqual([1, 2]);
	});

	test('When the service starts, then it sweeps what is due', async () => {
		const world = await openWorld();
		const customers = await world.start(customerService);
		await customers.call('customer.record', { entries: [entry(1, 2, true)] });
		world.clock.advance(32 * DAY);
		await world.start(customerService);
		await until(async () => (await directoryOf(world)).length === 0, { what: 'the sweep' });
	});
});
