import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Schema } from 'mongoose';
import { databaseFile } from '../../../shared/store/embedded/database.ts';
import { schemaOptions } from '../../../shared/store/model.ts';
import { openEmbedded } from '../../../shared/store/open-store.ts';
import { prepareModels } from '../../../shared/store/prepare-models.ts';
import type { Store } from '../../../shared/store/store.ts';

const SECRET = 'nobody-may-read-this';

interface Row {
	_id: number;
	key: string;
	text: string;
}

const schema = new Schema<Row>(
	{ _id: { type: Number, required: true }, key: { type: String, default: '' }, text: { type: String, default: '' } },
	schemaOptions,
);
schema.index({ key: 1 }, { name: 'key' });

let directory: string;
let store: Store | undefined;
afterEach(async () => {
	await store?.close();
	rmSync(directory, { recursive: true });
});

async function open() {
	directory = mkdtempSync(join(tmpdir(), 'slotwise-traces-'));
	store = await openEmbedded(directory);
	const rows = store.connection.model<Row>('Row', schema, 'rows');
	await prepareModels([rows]);
	return { rows, store };
}

const isThere = () =>
	[databaseFile, `${databaseFile}-wal`].some((name) => readFileSync(join(directory, name)).includes(SECRET));

/** Keys that come in no order, so that pages are divided again and again. */
const rowsFrom = (first: number, count: number): Row[] =>
	Array.from({ length: count }, (_, index) => {
		const _id = first + index;
		const key = `${(_id * 7_919) % 10_007}-${SECRET}`;
		return { _id, key, text: `${SECRET}-${'x'.repeat((_id * 131) % 5_000)}` };
	});

describe('X9: What is removed leaves the files of an embedded store', () => {
	test('X9: When texts were overwritten, and rows removed, then no file has one of them', async () => {
		const { rows, store } = await open();
		for (let first = 1; first < 4_000; first += 500) await rows.insertMany(rowsFrom(first, 500), { lean: true });
		for (let first = 1; first < 4_000; first += 400) {
			await rows.updateMany({ _id: { $gte: first, $lt: first + 200 } }, { $set: { key: '', text: 'y'.repeat(900) } });
		}
		await rows.deleteMany({ key: { $ne: '' } });
		expect(isThere()).toBe(true);
		await store.leaveNoTraces();
		expect(isThere()).toBe(false);
		expect(await rows.countDocuments({})).toBe(2_000);
		await rows.updateMany({}, { $set: { text: 'z'.repeat(1_500), key: 'k' } }); // pages come back from memory
		await store.leaveNoTraces();
		expect(isThere()).toBe(false);
	});

	test('X9: When others write and read meanwhile, then nothing of theirs is lost, and the file is sound', async () => {
		const { rows, store } = await open();
		for (let first = 1; first < 3_000; first += 500) await rows.insertMany(rowsFrom(first, 500), { lean: true });
		let isOver = false;
		let made = 0;
		const traffic = (async () => {
			while (!isOver) {
				await rows.insertMany([{ _id: 10_000 + made, key: `other-${made}`, text: 'o'.repeat(made % 3_000) }], {
					lean: true,
				});
				made++;
				await rows.find({ _id: { $lt: 2_000 } }).lean();
			}
		})();
		await rows.deleteMany({ _id: { $lt: 3_001 } });
		for (let i = 0; i < 20; i++) await store.leaveNoTraces();
		isOver = true;
		await traffic;
		expect(isThere()).toBe(false);
		expect(made).toBeGreaterThan(0);
		expect(await rows.countDocuments({ key: { $gte: 'other-', $lt: 'other.' } })).toBe(made);
		await store.close();
		const { DatabaseSync } = await import('node:sqlite');
		const file = new DatabaseSync(join(directory, databaseFile), { readOnly: true });
		expect(file.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
		file.close();
	});

	test('X9: When the file was passed over, then another process still finds it in use', async () => {
		const { store } = await open();
		await store.leaveNoTraces();
		const file = JSON.stringify(join(directory, databaseFile));
		const code = `new (require('node:sqlite').DatabaseSync)(${file}).exec('BEGIN IMMEDIATE')`;
		expect(() => execFileSync(process.execPath, ['-e', code], { stdio: 'pipe' })).toThrow('locked');
	});
});
