import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ServiceDocument } from '../../services/catalog/service.model.ts';
import { Sweep } from '../../services/catalog/sweep.ts';
import { isDuplicateKey } from '../../shared/store/write-errors.ts';
import { newService, onBothStores, slots, World } from './catalog-world.ts';
import { deaths, intercept, lostConnection } from './crash.ts';

const SLOTS = 3;
const body = newService(slots(SLOTS));
const idempotency = { key: 'once', fingerprint: 'f1' };

onBothStores('a creator that dies or hangs', (form) => {
	let world: World;
	beforeAll(async () => {
		world = await World.start(form);
	});
	afterAll(() => world.stop());

	const settle = async () => {
		const sweep = new Sweep(world.records, world.catalog.broker);
		await sweep.run();
		world.clock.advance(61_000);
		await sweep.run();
	};

	/** What there is of the account, as its readers see it and as it is stored. */
	const look = async (account_id: string) => {
		const services = await world.catalog.call('listServices', { account_id, page: 1, page_size: 20 });
		const list = await world.catalog.call('listSlots', { account_id, page: 1, page_size: 20, all: false });
		const stored = await world.documents.slots.countDocuments({ account_id });
		return { services: services.services.length, slots: list.time_slots.length, stored };
	};
	const nothing = { services: 0, slots: 0, stored: 0 };
	const everything = { services: 1, slots: SLOTS, stored: SLOTS };

	const die = (account_id: string, nth: number, when: 'before' | 'after') =>
		world.callAndDie('createService', { account_id, body, idempotency }, nth, when);

	test('When a creator dies at any of its writes, then all or nothing is left after the sweep', async () => {
		const outcomes = new Set<string>();
		let writes = 0;
		for (const [nth, when] of deaths()) {
			const account_id = world.account(1);
			if (!(await die(account_id, nth, when))) break;
			writes = nth + 1;
			await settle();
			const seen = await look(account_id);
			expect([nothing, everything]).toContainEqual(seen);
			outcomes.add(JSON.stringify(seen));
			const again = world.catalog.call('createService', { account_id, body });
			if (seen.services === 1) await expect(again).rejects.toMatchObject({ type: 'services_limit_reached' });
			else await expect(again).resolves.toMatchObject({ replayed: false });
		}
		expect(writes).toBe(6); // two counters, slots, service, active, done
		expect(outcomes.size).toBe(2);
	});

	test('I1: When a creator dies at any of its writes and the request is repeated, then there is one service', async () => {
		for (const [nth, when] of deaths()) {
			const account_id = world.account(1);
			if (!(await die(account_id, nth, when))) break;
			const { data } = await world.catalog.call('createService', { account_id, body, idempotency });
			const list = { account_id, service_id: data.id, page: 1, page_size: 20, all: false };
			expect((await world.catalog.call('listSlots', list)).time_slots).toHaveLength(SLOTS);
			await settle();
			expect(await look(account_id)).toEqual(everything);
		}
	});

	test('When a creator dies after the commit, then a reader sees the whole service before any sweep', async () => {
		const account_id = world.account();
		expect(await die(account_id, 3, 'after')).toBe(true);
		expect(await look(account_id)).toEqual(everything);
	});

	test('When a creator hangs before its commit until the sweep has removed its slots, then it is refused', async () => {
		const account_id = world.account();
		const hanging = Promise.withResolvers<void>();
		const reached = Promise.withResolvers<void>();
		const gate = intercept(world.store, 'services', 'insertMany', async (run, call) => {
			if (call > 0) return run(); // the sweep's fence
			reached.resolve();
			await hanging.promise;
			return run();
		});
		const answer = world.catalog.call('createService', { account_id, body });
		await reached.promise;
		await settle();
		expect(await world.documents.slots.countDocuments({ account_id })).toBe(0);
		hanging.resolve();
		await expect(answer).rejects.toMatchObject({ type: 'service_unavailable' });
		gate.undo();
		expect(await look(account_id)).toEqual(nothing);
	});

	test('When a creator hangs after its commit and its service is deleted, then its slots stay gone', async () => {
		const other = await world.startCatalog();
		const account_id = world.account();
		const hanging = Promise.withResolvers<void>();
		const reached = Promise.withResolvers<void>();
		const gate = intercept(world.store, 'time_slots', 'updateMany', async (run, call) => {
			if (call > 0) return run();
			reached.resolve();
			await hanging.promise;
			return run();
		});
		const answer = world.catalog.call('createService', { account_id, body });
		await reached.promise;
		const service = await world.documents.services.findOne({ account_id }).lean();
		const [stored] = await world.documents.slots.find({ account_id }).lean();
		world.bookingIsDown = true; // so that the slots' documents are still there
		const deletion = other.call('deleteService', { account_id, service_id: service!._id });
		await expect(deletion).rejects.toMatchObject({ type: 'service_unavailable' });
		hanging.resolve();
		await answer;
		gate.undo();
		expect(await other.call('slots', { slots: [{ account_id, time_slot_id: stored!._id }] })).toEqual([null]);
		world.bookingIsDown = false;
		await settle();
		expect(await look(account_id)).toEqual(nothing);
		expect(world.closed.at(-1)?.slots).toHaveLength(SLOTS);
	});

	test('When the commit is written but its answer is lost, then the service is created', async () => {
		const account_id = world.account();
		const lost = intercept(world.store, 'services', 'insertMany', async (run, call) => {
			const result = await run();
			if (call === 0) throw lostConnection();
			return result;
		});
		const { data } = await world.catalog.call('createService', { account_id, body });
		lost.undo();
		expect(data.version).toBe(1);
		expect(await look(account_id)).toEqual(everything);
	});

	test('When it is not known whether the commit was written, then it is refused only once it cannot come late', async () => {
		const account_id = world.account();
		const lost = intercept(world.store, 'services', 'insertMany', async (run, call) => {
			if (call === 0) throw lostConnection();
			return run();
		});
		const answer = world.catalog.call('createService', { account_id, body });
		await expect(answer).rejects.toMatchObject({ type: 'service_unavailable' });
		lost.undo();
		const [late] = lost.calls[0]![0] as ServiceDocument[];
		const landing = world.documents.services.insertMany([late!], { lean: true });
		expect(isDuplicateKey(await landing.catch((error: unknown) => error))).toBe(true);
		expect(await look(account_id)).toEqual(nothing);
	});

	test('When the store goes away before the commit is found, then the answer is 504 and the slots stay', async () => {
		const account_id = world.account();
		const lost = intercept(world.store, 'services', 'insertMany', async (run, call) => {
			const result = await run();
			if (call === 0) throw lostConnection();
			return result;
		});
		const away = intercept(world.store, 'services', 'findOne', async () => {
			throw lostConnection();
		});
		const answer = world.catalog.call('createService', { account_id, body });
		await expect(answer).rejects.toMatchObject({ type: 'gateway_timeout' });
		lost.undo();
		away.undo();
		expect(await look(account_id)).toEqual(everything);
	});

	test('When the store stays away after the commit was sent, then the answer is 504 and the sweep settles it', async () => {
		const account_id = world.account();
		const away = intercept(world.store, 'services', 'insertMany', async (run, call) => {
			if (call === 0) await run();
			throw lostConnection();
		});
		const answer = world.catalog.call('createService', { account_id, body }, { timeout: 2_000 });
		await expect(answer).rejects.toMatchObject({ type: 'gateway_timeout' });
		away.undo();
		await settle();
		expect(await look(account_id)).toEqual(everything);
	});

	test('When fences and tombstones are old enough, then the sweep removes them', async () => {
		const account_id = world.account();
		const { data } = await world.catalog.call('createService', { account_id, body });
		await world.catalog.call('deleteService', { account_id, service_id: data.id });
		expect(await world.documents.services.countDocuments({ account_id })).toBe(1);
		world.clock.advance(8 * 24 * 60 * 60 * 1000);
		await new Sweep(world.records, world.catalog.broker).run();
		expect(await world.documents.services.countDocuments({ account_id })).toBe(0);
		const tombstones = world.documents.services.countDocuments({ deleted_at: { $gt: '' } });
		expect(await tombstones.setOptions({ everyAccount: true })).toBe(0);
	});
});
