import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openStore } from '../../shared/store/open-store.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import type { Store } from '../../shared/store/store.ts';
import { isUnavailable, mayStillLand } from '../../shared/store/write-errors.ts';
import { bound } from '../support/bound.ts';
import { freePort } from '../support/free-port.ts';
import { type Fault, TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { onServer } from './stores.ts';
import { fill, type ThingModel, thing, thingModel } from './thing.ts';

/** No request hangs longer than this, ms. */
const longest = bound(8_000, 30_000);

onServer('a server that is lost', (open) => {
	let proxy: TcpProxy;
	let store: Store;
	let things: ThingModel;
	beforeAll(async () => {
		const direct = await open();
		const { host, port } = direct.connection;
		if (host !== '127.0.0.1') throw new Error(`TEST_MONGO_URL must be on 127.0.0.1, not ${host}`);
		proxy = await TcpProxy.to(port);
		const mongoUrl = `mongodb://127.0.0.1:${proxy.port}/${direct.connection.name}`;
		store = await openStore({ form: 'cluster', mongoUrl, namespace: 'unused' });
		things = thingModel(store.connection);
		await prepareModels([things]);
		await fill(things, [thing(1)]);
	});
	afterEach(async () => {
		await proxy.set({ kind: 'none' });
		await until(() => things.exists({ _id: 1 }), { what: 'the store to be back' });
	});
	afterAll(async () => {
		await store.close();
		await proxy.close();
	});

	const failed = async (act: () => PromiseLike<unknown>): Promise<{ error: unknown; took: number }> => {
		const begun = performance.now();
		const error = await Promise.resolve(act()).then(
			() => undefined,
			(failure) => failure,
		);
		return { error, took: performance.now() - begun };
	};

	describe.each<[string, Fault]>([
		['hangs', { kind: 'hang' }],
		['resets', { kind: 'reset' }],
		['is cut off', { kind: 'cut' }],
	])('When it %s', (_, fault) => {
		test('a read, a count, an update, an insert and a ping end in time, and the store is unavailable', async () => {
			const acts: Record<string, () => PromiseLike<unknown>> = {
				read: () => things.findOne({ _id: 1 }).lean(),
				count: () => things.countDocuments({ rank: 1 }),
				update: () => things.updateOne({ _id: 1 }, { $set: { name: 'x' } }),
				insert: () => things.insertMany([thing(Math.random())], { lean: true, ordered: false }),
				ping: () => store.ping(),
			};
			await proxy.set(fault);
			const each = async ([name, act]: [string, () => PromiseLike<unknown>]) => {
				const [first, second] = [await failed(act), await failed(act)];
				return [name, isUnavailable(first.error), first.took < longest, second.took < longest];
			};
			const ended = await Promise.all(Object.entries(acts).map(each));
			expect(ended).toEqual(Object.keys(acts).map((name) => [name, true, true, true]));
		});
	});

	test('When a write hangs on its way, then it may still land', async () => {
		await proxy.set({ kind: 'hang' });
		const { error } = await failed(() => things.updateOne({ _id: 1 }, { $set: { name: 'late' } }));
		expect(mayStillLand(error)).toBe(true);
	});

	test('When the server hangs, then a ping rejects within 3 s', async () => {
		await proxy.set({ kind: 'hang' });
		expect((await failed(() => store.ping())).took).toBeLessThan(bound(3_000, 5_000));
	});

	test('When nobody listens at the start, then it says so in time', async () => {
		const mongoUrl = `mongodb://127.0.0.1:${await freePort()}`;
		const { error, took } = await failed(() => openStore({ form: 'cluster', mongoUrl, namespace: 'x' }));
		expect(isUnavailable(error)).toBe(true);
		expect(took).toBeLessThan(longest);
	});
});
