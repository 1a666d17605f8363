import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type Model, Schema } from 'mongoose';
import { accountKey } from '../../shared/contract/actions/common.ts';
import { boundedCount } from '../../shared/store/bounded-count.ts';
import { schemaOptions } from '../../shared/store/model.ts';
import { openStore } from '../../shared/store/open-store.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import type { Store } from '../../shared/store/store.ts';
import { until } from '../support/until.ts';

interface Row {
	_id: number;
	account_id: string;
	list: string;
}

const account_id = 'acc_1';

let directory: string;
let store: Store;
let rows: Model<Row>;

beforeAll(async () => {
	directory = mkdtempSync(join(tmpdir(), 'slotwise-count-'));
	store = await openStore({ form: 'embedded', dataDir: directory });
	const schema = new Schema<Row>({ _id: Number, account_id: String, list: String }, schemaOptions);
	schema.index({ account_id: 1, list: 1, _id: 1 });
	rows = store.connection.model<Row>('Row', schema, 'rows');
	await prepareModels([rows]);
});
afterAll(async () => {
	await store.close();
	rmSync(directory, { recursive: true });
});

async function add(list: string, from: number, count: number): Promise<void> {
	const documents = Array.from({ length: count }, (_, index) => ({ _id: from + index, account_id, list }));
	for (let at = 0; at < count; at += 500) {
		await rows.insertMany(documents.slice(at, at + 500), { lean: true });
	}
}

const count = (list: string) => boundedCount(rows, { account_id, list }, accountKey({ account_id }, list));

test('When a list has up to 10,000 rows, then its total is exact at once, also where it had more a moment ago', async () => {
	await add('a', 1, 9_999);
	expect(await count('a')).toBe(9_999);
	await add('a', 10_000, 3);
	expect(await count('a')).toBe(10_002);
	await rows.deleteMany({ list: 'a', _id: { $lte: 3 } });
	expect(await count('a')).toBe(9_999);
});

test('When a list has more, then its total is right, is kept for a second, and is counted once for all who ask', async () => {
	await add('b', 100_000, 25_000);
	let counted = 0;
	const { countDocuments } = rows.collection;
	rows.collection.countDocuments = function counting(...parameters: Parameters<typeof countDocuments>) {
		counted++;
		return countDocuments.apply(this, parameters);
	};
	const ask = () => count('b');
	const moment = performance.now();
	const sameMoment = jest.spyOn(performance, 'now').mockImplementation(() => moment); // the deletion may take a second
	expect(await ask()).toBe(25_000);
	await rows.deleteMany({ list: 'b', _id: { $lt: 100_010 } });
	counted = 0;
	expect(await Promise.all([ask(), ask(), ask()])).toEqual([25_000, 25_000, 25_000]);
	expect(counted).toBe(0);
	sameMoment.mockRestore();
	expect(await until(async () => (await ask()) !== 25_000 && ask(), { what: 'a new count' })).toBe(24_990);
});
