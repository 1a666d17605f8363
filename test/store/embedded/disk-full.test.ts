import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { GroupCommit } from '../../../shared/store/embedded/commit/group-commit.ts';
import { insertDocuments } from '../../../shared/store/embedded/commit/writes.ts';
import { Database } from '../../../shared/store/embedded/database.ts';
import { Table } from '../../../shared/store/embedded/table.ts';
import { openStore } from '../../../shared/store/open-store.ts';
import { prepareModels } from '../../../shared/store/prepare-models.ts';
import { bulkWriteErrors, isUnavailable, mayStillLand } from '../../../shared/store/write-errors.ts';
import { temporaryDirectory } from '../stores.ts';
import { thing, thingModel } from '../thing.ts';

const isRoot = process.getuid?.() === 0 && process.platform === 'linux';
const [onRealDisk, why] = isRoot
	? [describe, '']
	: [describe.skip, ' (skipped: only root on Linux can mount a small disk)'];

const directory = temporaryDirectory();

onRealDisk(`E3: a full disk${why}`, () => {
	let disk: string;
	beforeAll(() => {
		disk = directory();
		execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', disk]);
	});
	afterAll(() => {
		execFileSync('umount', [disk]);
	});

	test('When the disk is full, then writes are refused, nothing acknowledged is lost, and it goes on when there is room', async () => {
		const filler = join(disk, 'filler');
		writeFileSync(filler, Buffer.alloc(2 * 1024 * 1024));
		const dataDir = join(disk, 'data');
		const store = await openStore({ form: 'embedded', dataDir });
		const things = thingModel(store.connection);
		await prepareModels([things]);

		const acknowledged: number[] = [];
		const failures: unknown[] = [];
		for (let round = 0; failures.length === 0; round++) {
			const writes = Array.from({ length: 8 }, (_, at) => thing(round * 8 + at, { data: 'x'.repeat(3_000) }));
			await Promise.all(
				writes.map((document) =>
					things.insertMany([document], { lean: true }).then(
						() => acknowledged.push(document._id),
						(error) => failures.push(error),
					),
				),
			);
		}
		expect(acknowledged.length).toBeGreaterThan(100);
		for (const error of failures) {
			expect(isUnavailable(error)).toBe(true);
			expect(mayStillLand(error)).toBe(false);
			expect(bulkWriteErrors(error)).toBeUndefined();
		}
		expect(await count(things)).toBe(acknowledged.length);
		await expect(things.updateOne({ _id: 0 }, { $set: { data: 'y'.repeat(100_000) } })).rejects.toMatchObject({
			name: 'StoreUnavailable',
		});
		expect(await things.findOne({ _id: 0 }).lean()).toMatchObject({ version: 1 });

		rmSync(filler);
		const late = thing(1_000_000, { data: 'y' });
		await things.insertMany([late], { lean: true });
		await things.updateOne({ _id: 0 }, { $inc: { version: 1 } });
		await store.close();

		const reopened = await openStore({ form: 'embedded', dataDir });
		const again = thingModel(reopened.connection);
		const ids = new Set((await again.find({}).select({ _id: 1 }).lean()).map(({ _id }) => _id));
		expect(ids).toEqual(new Set([...acknowledged, late._id]));
		expect((await again.findOne({ _id: 0 }).lean())?.version).toBe(2);
		await reopened.close();
	});

	async function count(things: ReturnType<typeof thingModel>): Promise<number> {
		return (await things.find({}).select({ _id: 1 }).lean()).length;
	}
});

describe('a group of writes whose transaction fails', () => {
	test('E3: When one of them meets the end of the disk, then all are unavailable, refusals included, and none is written', async () => {
		const database = new Database(directory());
		const table = new Table(database, 'rows');
		const commits = new GroupCommit(database, undefined, Number.POSITIVE_INFINITY); // one group, however busy the machine is
		const insert = (_id: number, text = '') => commits.run(insertDocuments(table, [{ _id, text }], true));
		expect(await insert(1)).toEqual([]);
		const [pages] = database.get('PRAGMA page_count') as [number];
		database.exec(`PRAGMA max_page_count = ${pages + 2}`);

		const group = await Promise.allSettled([insert(2), insert(1), insert(3, 'x'.repeat(100_000)), insert(4)]);
		const names = group.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.name : outcome.value));
		expect(names.slice(0, 3)).toEqual(['StoreUnavailable', 'StoreUnavailable', 'StoreUnavailable']);
		expect(database.all('SELECT _id FROM rows ORDER BY _id').flat()).toEqual([1, 4]);

		database.exec('PRAGMA max_page_count = 1000000');
		expect(await insert(3, 'x'.repeat(100_000))).toEqual([]);
		expect(await insert(1)).toMatchObject([{ error: { code: 11_000 } }]);
		await commits.close();
		database.close();
	});

	test('R7: When a long write meets the end of the disk after its first part is committed, then it may have happened', async () => {
		const database = new Database(directory());
		const table = new Table(database, 'rows');
		const commits = new GroupCommit(database, undefined, 0); // parts as small as they may be
		const documents = Array.from({ length: 150 }, (_, _id) => ({
			_id,
			text: _id === 120 ? 'x'.repeat(1_000_000) : '',
		}));
		const [pages] = database.get('PRAGMA page_count') as [number];
		database.exec(`PRAGMA max_page_count = ${pages + 20}`);
		const failure = await commits.run(insertDocuments(table, documents, false)).catch((error: unknown) => error);
		expect(database.all('SELECT _id FROM rows')).toHaveLength(100);
		expect([isUnavailable(failure), mayStillLand(failure)]).toEqual([true, true]);
		await commits.close();
		database.close();
	});
});
