import { afterEach, expect, jest, test } from '@jest/globals';
import { Database } from '../../../shared/store/embedded/database.ts';
import { openStore } from '../../../shared/store/open-store.ts';
import { prepareModels } from '../../../shared/store/prepare-models.ts';
import { StoreUnavailable } from '../../../shared/store/write-errors.ts';
import { temporaryDirectory } from '../stores.ts';
import { type Thing, thing, thingModel } from '../thing.ts';

const directory = temporaryDirectory();

afterEach(() => {
	jest.restoreAllMocks();
});

/** The first commit after a statement with these words fails, as on a full disk. */
function failCommitAfter(words: string): void {
	const exec = Database.prototype.exec;
	let state: 'waiting' | 'seen' | 'failed' = 'waiting';
	jest.spyOn(Database.prototype, 'exec').mockImplementation(function (this: Database, sql: string) {
		if (state === 'seen' && sql === 'COMMIT') {
			state = 'failed';
			throw new StoreUnavailable('the embedded store cannot write: database or disk is full');
		}
		if (state === 'waiting' && sql.includes(words)) state = 'seen';
		exec.call(this, sql);
	});
}

test('L9: When the commit of a unique index fails, then it is made again before anything is served', async () => {
	const dataDir = directory();
	const first = await openStore({ form: 'embedded', dataDir });
	await first.connection.collection<Thing>('things').insertMany([thing(1), thing(2, { key: 'k1' })]);
	await expect(prepareModels([thingModel(first.connection)])).rejects.toThrow('duplicate key'); // the column is there
	await first.connection.collection<{ _id: number }>('things').deleteOne({ _id: 2 });
	await first.close();

	const store = await openStore({ form: 'embedded', dataDir });
	const things = thingModel(store.connection);
	failCommitAfter('CREATE UNIQUE INDEX');
	await prepareModels([things]);
	await expect(things.insertMany([thing(3, { key: 'k1' })], { lean: true })).rejects.toMatchObject({ code: 11_000 });
	await things.insertMany([thing(4)], { lean: true });
	await store.close();
});
