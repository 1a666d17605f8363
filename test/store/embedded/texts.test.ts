import { describe, expect, test } from '@jest/globals';
import { Schema } from 'mongoose';
import { schemaOptions } from '../../../shared/store/model.ts';
import { openStore } from '../../../shared/store/open-store.ts';
import { prepareModels } from '../../../shared/store/prepare-models.ts';
import { temporaryDirectory } from '../stores.ts';

interface Row {
	_id: string;
	key: string;
	text: string;
	list: string[];
}

const schema = new Schema<Row>({ _id: String, key: String, text: String, list: [String] }, schemaOptions);
schema.index({ key: 1 }, { unique: true });

/** Every text that JSON can carry as one UTF-16 unit, and pairs of surrogates. */
function* texts(): Generator<string> {
	for (let unit = 0; unit <= 0xffff; unit++) {
		if (unit < 0xd800 || unit > 0xdfff) yield String.fromCharCode(unit);
	}
	for (let point = 0x1_0000; point <= 0x10_ffff; point += 4_097) yield String.fromCodePoint(point);
}

describe('texts in the embedded store', () => {
	const directory = temporaryDirectory();

	test('E1: When every character is written and the store opened again, then each is there and can be found', async () => {
		const dataDir = directory();
		const rows = [...texts()].map((text) => ({ _id: text, key: `k${text}`, text: `a${text}b`, list: [text, text] }));
		const first = await openStore({ form: 'embedded', dataDir });
		await prepareModels([first.connection.model<Row>('Row', schema, 'rows')]);
		await first.connection.model<Row>('Row').insertMany(rows, { lean: true });
		await first.close();

		const second = await openStore({ form: 'embedded', dataDir });
		const model = second.connection.model<Row>('Row', schema, 'rows');
		const read = new Map((await model.find({}).lean<Row[]>()).map((row) => [row._id, row]));
		expect(read.size).toBe(rows.length);
		expect(rows.filter((row) => JSON.stringify(read.get(row._id)) !== JSON.stringify(row))).toEqual([]);
		const sample = rows.filter((_, index) => index < 0x300 || index % 97 === 0);
		for (const { _id, key, text } of sample) {
			expect(await model.find({ key }).lean()).toHaveLength(1);
			expect(await model.countDocuments({ _id, text })).toBe(1);
			expect(await model.countDocuments({ key: { $in: [key] }, list: _id })).toBe(1);
		}
		await second.close();
	});

	test('E1: When texts differ only after U+0000, then a unique index tells them apart', async () => {
		const store = await openStore({ form: 'embedded', dataDir: directory() });
		const model = store.connection.model<Row>('Row', schema, 'rows');
		await prepareModels([model]);
		const keys = ['a\u0000b', 'a\u0000c', 'a', 'a\u0000'];
		await model.insertMany(
			keys.map((key) => ({ _id: key, key, text: key, list: [] })),
			{ lean: true },
		);
		for (const key of keys) expect((await model.find({ key }).lean()).map(({ _id }) => _id)).toEqual([key]);
		const again = model.insertMany([{ _id: 'x', key: 'a\u0000c', text: '', list: [] }], { lean: true });
		await expect(again).rejects.toMatchObject({ code: 11_000 });
		await store.close();
	});

	test('E1: When a text of 64 KiB is written, then it is there after a restart', async () => {
		const dataDir = directory();
		const text = 'ä\u2028\u0000"\\😀'.repeat(64 * 1024).slice(0, 64 * 1024);
		const first = await openStore({ form: 'embedded', dataDir });
		await first.connection
			.model<Row>('Row', schema, 'rows')
			.insertMany([{ _id: 'long', key: text, text, list: [text] }]);
		await first.close();
		const second = await openStore({ form: 'embedded', dataDir });
		const row = await second.connection.model<Row>('Row', schema, 'rows').findOne({ key: text }).lean();
		expect(row?.text === text && row.list[0] === text).toBe(true);
		await second.close();
	});
});
