import type { NoParamCallback } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';

/** What the disk does with a sync before it says that it is done. */
let disk: () => Promise<unknown> = async () => {};

const fs = process.getBuiltinModule('node:fs');
const { fdatasync } = fs;
fs.fdatasync = ((file: number, callback: NoParamCallback) => {
	disk().then(() => fdatasync(file, callback), callback);
}) as typeof fs.fdatasync;

// Only now: whoever imports the store takes hold of the system's calls.
const { openStore } = await import('../../../shared/store/open-store.ts');
const { prepareModels } = await import('../../../shared/store/prepare-models.ts');
const { isUnavailable, mayStillLand } = await import('../../../shared/store/write-errors.ts');
const { temporaryDirectory } = await import('../stores.ts');
const { thing, thingModel } = await import('../thing.ts');

describe('the embedded store on a disk', () => {
	const directory = temporaryDirectory();
	beforeEach(() => {
		disk = async () => {};
	});
	afterAll(() => {
		fs.fdatasync = fdatasync;
	});

	async function open(dataDir = directory()) {
		const store = await openStore({ form: 'embedded', dataDir });
		const things = thingModel(store.connection);
		await prepareModels([things]);
		return { store, things, dataDir };
	}

	test('When it is slow, then neither the write nor a read of what it wrote is answered before it is done', async () => {
		const { store, things } = await open();
		await things.insertMany([thing(1)], { lean: true });
		const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		disk = () => {
			begun.resolve();
			return done.promise;
		};
		const told: string[] = [];
		const tell = (what: string) => () => told.push(what);
		const writing = things.updateOne({ _id: 1 }, { $set: { name: 'written' } }).then(tell('write'));
		const refused = things.insertMany([thing(1)], { lean: true }).catch(tell('refusal'));
		await begun.promise;
		const reads = [
			things.findOne({ name: 'written' }).lean().then(tell('findOne')),
			things.find({ name: 'written' }).lean().then(tell('find')),
			things.countDocuments({ name: 'written' }).then(tell('count')),
			things.aggregate([{ $match: {} }, { $group: { _id: '$name', n: { $sum: 1 } } }]).then(tell('group')),
			store.ping().then(tell('ping')),
		];
		await delay(50);
		expect(told).toEqual([]);
		done.resolve();
		await Promise.all([writing, refused, ...reads]);
		expect(told.sort()).toEqual(['count', 'find', 'findOne', 'group', 'ping', 'refusal', 'write']);
		await store.close();
	});

	test('X7: When it is slow, then an account waits for what it wrote itself, and not for what others wrote', async () => {
		const { store, things } = await open();
		const of = (_id: number, account_id: string) => thing(_id, { account_id });
		await things.insertMany([of(1, 'a'), of(2, 'b'), of(3, 'c')], { lean: true });
		const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		disk = () => {
			begun.resolve();
			return done.promise;
		};
		const writing = things.updateMany({ _id: { $in: [1, 3] } }, { $set: { name: 'written' } }).exec();
		await begun.promise;
		const read = (account_id: unknown) => things.find({ account_id } as object).lean();
		expect(await read('b')).toHaveLength(1);
		expect(await read({ $in: ['b', 'nobody'] })).toHaveLength(1);
		expect(await things.countDocuments({ account_id: 'b' } as object)).toBe(1);
		const told: string[] = [];
		const waiting = [
			...['a', 'c', { $in: ['a', 'b'] }, { $ne: 'b' }].map(read),
			things.countDocuments({ account_id: 'a' } as object),
			things.findOne({ _id: 2 }).lean(),
		].map(async (answer, index) => told.push(`${index} ${JSON.stringify(await answer).length > 0}`));
		await delay(50);
		expect(told).toEqual([]);
		done.resolve();
		await Promise.all([writing, ...waiting]);
		expect(told).toHaveLength(6);
		disk = async () => {};
		await things.updateOne({ _id: 2 }, { $set: { name: 'later' } });
		expect(await read('b')).toMatchObject([{ name: 'later' }]);
		await store.close();
	});

	test('When it is slow, then other work goes on, and all that comes meanwhile shares the next wait', async () => {
		const { store, things } = await open();
		let syncs = 0;
		const begun = Promise.withResolvers<void>();
		const rest = Promise.withResolvers<void>();
		disk = () => {
			syncs++;
			begun.resolve();
			return rest.promise;
		};
		const one = things.insertMany([thing(1)], { lean: true });
		await begun.promise;
		const others = [2, 3, 4, 5].map((_id) => things.insertMany([thing(_id)], { lean: true }));
		await delay(20); // other work: it gets its turn while the disk has not answered
		expect(syncs).toBe(1);
		rest.resolve();
		await Promise.all([one, ...others]);
		expect(syncs).toBe(2);
		await store.close();
	});

	test('When it fails, then the outcome is unknown, nothing is read or written any more, and a new start finds what was kept', async () => {
		const { store, things, dataDir } = await open();
		await things.insertMany([thing(1)], { lean: true });
		let asked = 0;
		disk = async () => {
			asked++;
			throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
		};
		const failed = await things.insertMany([thing(2)], { lean: true }).catch((error: unknown) => error);
		expect(failed).toMatchObject({ name: 'SyncFailed' });
		expect([isUnavailable(failed), mayStillLand(failed)]).toEqual([true, true]);

		disk = async () => asked++; // it seems to work again: what was lost would stay lost
		const closed = { name: 'StoreUnavailable' };
		await expect(things.insertMany([thing(3)], { lean: true })).rejects.toMatchObject(closed);
		await expect(things.updateOne({ _id: 1 }, { $set: { name: 'x' } })).rejects.toMatchObject(closed);
		await expect(things.find({}).lean()).rejects.toMatchObject(closed);
		await expect(things.countDocuments({ rank: 1 })).rejects.toMatchObject(closed);
		await expect(store.ping()).rejects.toMatchObject(closed);
		expect(asked).toBe(1);
		await store.close();

		const again = await open(dataDir);
		expect(await again.things.findOne({ _id: 1 }).lean()).toMatchObject({ _id: 1 });
		expect(await again.things.exists({ _id: 3 })).toBeNull();
		await again.store.close();
	});
});
