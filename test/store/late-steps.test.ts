import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import { modelsOn } from '../../ops/moving/collections.ts';
import { STEPS } from '../../shared/store/format/steps.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import type { Store } from '../../shared/store/store.ts';
import { onBothForms } from './stores.ts';

type Row = Record<string, unknown> & { _id: number };

/** A process that brings a store forward may stand still, or have lost its answer, until another one is done and serves. */
onBothForms('a step that comes late', (open) => {
	let store: Store;
	const rowsOf = (name: string) => store.connection.collection<Row>(name);
	const all = (name: string) =>
		rowsOf(name)
			.find({}, { sort: { _id: 1 } })
			.toArray();
	const bringForward = async (connection: Connection) => {
		for (const step of STEPS) await step.run(connection);
	};
	const empty = () => Promise.all(['bookings', 'customers'].map((name) => rowsOf(name).deleteMany({})));
	beforeEach(async () => {
		store = await open();
		await empty();
	});
	afterEach(empty);

	/** What a process sees whose first write of a collection waits for something else to happen. */
	function late(name: string, meanwhile: () => Promise<void>): Connection {
		let isFirst = true;
		const collection = (asked: string) =>
			new Proxy(store.connection.collection(asked), {
				get(target, property) {
					const own = Reflect.get(target, property) as (...args: unknown[]) => unknown;
					if (typeof own !== 'function') return own;
					if (asked !== name || !/^update/.test(String(property))) return own.bind(target);
					return async (...args: unknown[]) => {
						if (isFirst) {
							isFirst = false;
							await meanwhile();
						}
						return own.apply(target, args);
					};
				},
			});
		return { collection } as unknown as Connection;
	}

	const oldBooking = (_id: number, place: string, seat_key: string): Row => ({
		...{ _id, account_id: 'acc_1', place, counted_under: place === '' ? 0 : 1, seat_key },
		...{ customer_key: `c${_id}`, idempotency_key: `free:${_id}`, relay_at: 0, deleted_at: null },
	});

	test('D3, L9: When every step is done once more beside a process that serves, then no index goes and no document changes', async () => {
		await rowsOf('bookings').insertMany([oldBooking(1, '1:2027-01-04', '1:2027-01-04:0'), oldBooking(2, '', 'free:2')]);
		await bringForward(store.connection);
		const models = modelsOn(store.connection);
		await prepareModels(models);
		await rowsOf('bookings').updateOne({ _id: 2 }, { $set: { deleted_at: '2026-11-24T00:00:00.000Z', relay_at: -1 } });
		const seen = async () => {
			const indexes = await Promise.all(models.map((model) => model.listIndexes()));
			return { indexes, bookings: await all('bookings'), customers: await all('customers') };
		};
		const before = await seen();
		for (const step of STEPS) {
			await step.run(store.connection);
			expect([step.to, await seen()]).toEqual([step.to, before]);
		}
	});

	test('D3: When a booking gives up its seat while a step that numbers seats lags, then it has none', async () => {
		await rowsOf('bookings').insertOne(oldBooking(1, '1:2027-01-04', '1:2027-01-04:3'));
		const lagging = late('bookings', async () => {
			await bringForward(store.connection);
			await rowsOf('bookings').updateOne({ _id: 1, seat: 3 }, { $set: { place: '', counted_under: 0, seat: -1 } });
		});
		await STEPS.find(({ to }) => to === 5)!.run(lagging);
		const [booking] = await all('bookings');
		expect([booking!.place, booking!.seat]).toEqual(['', -1]);
	});

	test('D3: When somebody is erased while a step that fills the directory lags, then nobody is found by the address', async () => {
		const customer = { email: 'Ada@example.com', phone: null };
		await rowsOf('customers').insertOne({ _id: 1, account_id: 'acc_1', version: 1, customer, deleted_at: 0 });
		const lagging = late('customers', async () => {
			await bringForward(store.connection);
			await rowsOf('customers').updateOne({ _id: 1, email_key: 'ada@example.com' }, {
				$set: { customer: { email: null, phone: null }, email_key: '' },
			} as object);
		});
		await STEPS.find(({ to }) => to === 6)!.run(lagging);
		const [entry] = await all('customers');
		expect([entry!.email_key, entry!.status]).toEqual(['', 'cancelled']);
	});
});
