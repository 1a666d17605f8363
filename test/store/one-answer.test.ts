import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { findPlain } from '../../shared/store/find-plain.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { onBothForms } from './stores.ts';
import { fill, ids, type Thing, type ThingModel, thing, thingModel } from './thing.ts';

const EVERY = Array.from({ length: 400 }, (_, index) => index);

onBothForms('a find', (open) => {
	let things: ThingModel;
	beforeAll(async () => {
		things = thingModel((await open()).connection);
		await prepareModels([things]);
	});
	beforeEach(() =>
		fill(
			things,
			EVERY.map((_id) => thing(_id)),
		),
	);

	/** Changes documents in a field that no query below asks for, until all the reads are done. */
	async function whileChanging(read: () => Promise<{ _id: number }[]>): Promise<number[][]> {
		const answers: number[][] = [];
		const reading = (async () => {
			for (let round = 0; round < 60; round++) answers.push(ids(await read()));
		})();
		let done = false;
		void reading.finally(() => {
			done = true;
		});
		for (let round = 0; !done; round++) {
			const some = EVERY.filter((_id) => (_id * 7 + round) % 5 === 0);
			await things.updateMany({ _id: { $in: some } }, { $set: { tags: [`round ${round}`], rank: round } });
		}
		await reading;
		return answers;
	}

	test.each<[string, () => Promise<{ _id: number }[]>]>([
		['everything', () => things.find({ account_id: 'acc_1' }).lean<Thing[]>()],
		['everything past mongoose', () => findPlain(things, { account_id: 'acc_1' }, { projection: { key: 1 } })],
		['one page', () => things.find({ account_id: 'acc_1' }).sort({ _id: 1 }).limit(400).lean<Thing[]>()],
	])('When %s is read while documents change, then each document is there once', async (_, read) => {
		for (const answer of await whileChanging(read)) {
			expect(answer.sort((left, right) => left - right)).toEqual(EVERY);
		}
	});
});
