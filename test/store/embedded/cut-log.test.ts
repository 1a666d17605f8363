import { copyFileSync, mkdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { databaseFile } from '../../../shared/store/embedded/database.ts';
import { openStore } from '../../../shared/store/open-store.ts';
import { prepareModels } from '../../../shared/store/prepare-models.ts';
import { temporaryDirectory } from '../stores.ts';
import { type Thing, thing, thingModel } from '../thing.ts';

const cuts = 200;
const commits = 60;

describe('a log that was cut', () => {
	const directory = temporaryDirectory();

	test(`E2: When the log is cut at ${cuts} random bytes, then the store opens with the commits before the cut, and no other`, async () => {
		const dataDir = directory();
		const log = join(dataDir, `${databaseFile}-wal`);
		const store = await openStore({ form: 'embedded', dataDir });
		const things = thingModel(store.connection);
		await prepareModels([things]);
		const start = statSync(log).size;
		/** Bytes of the log after each commit */
		const ends: number[] = [];
		for (let commit = 0; commit < commits; commit++) {
			const documents = [0, 1, 2].map((at) =>
				thing(commit * 10 + at, { data: 'x'.repeat(1 + ((commit * 331) % 5_000)) }),
			);
			await things.insertMany(documents, { lean: true });
			if (commit % 5 === 4) await things.updateOne({ _id: commit * 10 }, { $set: { rank: commit } });
			ends.push(statSync(log).size);
		}
		expect(ends.every((end, at) => end > (ends[at - 1] ?? start))).toBe(true);

		const scratch = directory();
		for (let cut = 0; cut < cuts; cut++) {
			const size = start + Math.floor(Math.random() * (ends.at(-1)! - start + 1));
			const copy = join(scratch, String(cut));
			mkdirSync(copy);
			for (const suffix of ['', '-wal']) {
				copyFileSync(join(dataDir, databaseFile + suffix), join(copy, databaseFile + suffix));
			}
			truncateSync(join(copy, `${databaseFile}-wal`), size);
			const whole = ends.filter((end) => end <= size).length;
			const reopened = await openStore({ form: 'embedded', dataDir: copy });
			const found = await thingModel(reopened.connection).find({}).sort({ _id: 1 }).lean<Thing[]>();
			const of = (commit: number) => found.filter(({ _id }) => Math.floor(_id / 10) === commit);
			const counts = Array.from({ length: commits }, (_, commit) => of(commit).length);
			const inserted = counts.filter((count) => count === 3).length;
			expect(counts).toEqual(counts.map((_, commit) => (commit < inserted ? 3 : 0)));
			expect(inserted).toBeGreaterThanOrEqual(whole);
			expect(inserted).toBeLessThanOrEqual(whole + 1);
			for (let commit = 4; commit < whole; commit += 5) expect(of(commit)[0]?.rank).toBe(commit);
			await reopened.close();
		}
		await store.close();
	});
});
