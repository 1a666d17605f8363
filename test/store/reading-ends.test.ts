import { beforeAll, expect, test } from '@jest/globals';
import { isError } from '../../shared/contract/errors.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import type { Store } from '../../shared/store/store.ts';
import { Reading } from '../../shared/work/reading.ts';
import { until } from '../support/until.ts';
import { onServer } from './stores.ts';
import { type ThingModel, thing, thingModel } from './thing.ts';

const MANY = 5_000;
const BATCH = 500;
/** Conditions that no index knows, so many that a server works on them for long */
const NEVER = { $or: Array.from({ length: 60 }, (_, at) => ({ name: { $regex: `^(x+)+y${at}` } })) };

onServer('Reads that nobody waits for', (open) => {
	let store: Store;
	let things: ThingModel;
	beforeAll(async () => {
		store = await open();
		things = thingModel(store.connection);
		await prepareModels([things]);
		const documents = Array.from({ length: MANY }, (_, index) =>
			thing(index, { rank: index % 2, name: 'x'.repeat(18) }),
		);
		while (documents.length > 0) await things.insertMany(documents.splice(0, BATCH), { lean: true });
	});

	const forever = { remaining: () => 60_000 };
	const scans: [string, () => PromiseLike<unknown>][] = [
		['find', () => things.find(NEVER).lean()],
		['count', () => things.countDocuments(NEVER)],
		['group', () => things.aggregate([{ $match: NEVER }, { $group: { _id: '$rank', count: { $sum: 1 } } }])],
	];

	async function outcome(work: PromiseLike<unknown>): Promise<unknown> {
		return work.then(
			() => 'answered',
			(error: unknown) => (isError(error, 'gateway_timeout') ? 'stopped' : error),
		);
	}

	/** Operations on this collection that the server has under way */
	async function underWay(): Promise<number> {
		const { inprog } = await store.connection.db!.admin().command({ currentOp: 1 });
		return inprog.filter((operation: object) => JSON.stringify(operation).includes('(x+)')).length;
	}

	test.each(scans)('N3: When its deadline passes, then its %s stops, on the server too', async (_, scan) => {
		const end = performance.now() + 50;
		const reading = new Reading('acc', { remaining: () => end - performance.now() });
		expect(await reading.run(() => outcome(scan()))).toBe('stopped');
		await until(async () => (await underWay()) === 0);
	});

	test.each(scans)('N3: When nobody waited for it before it left, then its %s is not sent', async (_, scan) => {
		const reading = new Reading('acc', { remaining: () => 0 });
		expect(await reading.run(() => outcome(scan()))).toBe('stopped');
	});

	test.each(scans)('N3: When a client has gone, then its %s stops, and what others read goes on', async (_, scan) => {
		const other = () => new Reading('other', forever).run(() => outcome(things.findOne({ _id: 1 }).lean()));
		const gone = async () => {
			const reading = new Reading('acc', forever);
			const answer = reading.run(() => outcome(scan()));
			expect(await other()).toBe('answered'); // the scan has left meanwhile
			reading.end();
			return answer;
		};
		let told = await gone();
		// On a busy machine it may have ended before its client went: that tells nothing.
		for (let again = 0; told === 'answered' && again < 10; again++) told = await gone();
		expect(told).toBe('stopped');
		expect(await other()).toBe('answered');
	});

	test('N1: When a filter matches nothing, then what the index leaves for it is counted', async () => {
		const reading = new Reading('acc', forever);
		const read = () =>
			Promise.all([things.find({ account_id: 'acc_1', version: 2 }).lean(), things.find({ rank: 3 }).lean()]);
		expect(await reading.run(read)).toEqual([[], []]);
		expect(reading.units).toBe(MANY);
	});

	test('N1: When an index has the whole filter, then the documents that were found are counted', async () => {
		const reading = new Reading('acc', forever);
		await reading.run(() => outcome(things.find({ account_id: 'acc_1' }).limit(20).lean()));
		await reading.run(() => outcome(things.find({ account_id: 'acc_1', version: 1 }).limit(20).lean()));
		expect(reading.units).toBe(40);
	});

	test('N2: When an account has three dear reads, then two are at work', async () => {
		const readings = Array.from({ length: 3 }, () => new Reading('acc', forever));
		const filter = { account_id: 'acc_1', ...NEVER };
		const ended = Promise.all(readings.map((one) => one.run(() => outcome(things.find(filter).limit(1).lean()))));
		let most = 0;
		let isOver = false;
		void ended.then(() => {
			isOver = true;
		});
		while (!isOver) most = Math.max(most, await underWay());
		expect(await ended).toEqual(['answered', 'answered', 'answered']);
		expect(most).toBeLessThanOrEqual(2);
	});
});
