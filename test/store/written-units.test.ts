import { beforeAll, expect, test } from '@jest/globals';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { Reading, Writing } from '../../shared/work/reading.ts';
import { onBothForms } from './stores.ts';
import { type ThingModel, thing, thingModel } from './thing.ts';

const MANY = 100;
/** Units of a document that is written */
const WRITTEN = 5;

onBothForms('What a request writes', (open) => {
	let things: ThingModel;
	beforeAll(async () => {
		things = thingModel((await open()).connection);
		await prepareModels([things]);
	});

	/** Units that `write` turned out to be */
	async function unitsOf(write: () => PromiseLike<unknown>): Promise<number> {
		const writing = new Writing();
		await Reading.runWriting(writing, async () => await write()); // a query begins when it is awaited
		return writing.units;
	}

	test('X7: When it writes many documents, then each is counted, and one is cheap', async () => {
		const documents = Array.from({ length: MANY }, (_, at) => thing(at, { name: 'many' }));
		const mine = { account_id: 'acc_1' };
		const most = [
			await unitsOf(() => things.insertMany(documents, { lean: true })),
			await unitsOf(() => things.updateMany(mine, { $set: { rank: 1 } })),
			await unitsOf(async () => {
				for (const { _id } of documents) await things.updateOne({ _id }, { $set: { rank: 2 } });
			}),
			await unitsOf(() => things.deleteMany({ ...mine, _id: { $gt: 0 } })),
		];
		for (const units of most) expect(units).toBeGreaterThanOrEqual((MANY - 1) * WRITTEN);
		const one = await unitsOf(() => things.updateOne({ _id: 0 }, { $set: { rank: 3 } }));
		expect(one).toBeGreaterThanOrEqual(WRITTEN);
		expect(one).toBeLessThanOrEqual(3 * WRITTEN);
	});

	test('X7: When a read and a write are under way at once, then each pays for its own', async () => {
		const reading = new Reading('acc_1', { remaining: () => 60_000 });
		const [units] = await Promise.all([
			unitsOf(() => things.updateOne({ _id: 0 }, { $set: { rank: 4 } })),
			reading.run(async () => await things.find({ _id: 0 }).lean()),
		]);
		expect(units).toBeLessThanOrEqual(3 * WRITTEN);
		expect(reading.units).toBeLessThanOrEqual(2);
	});
});
