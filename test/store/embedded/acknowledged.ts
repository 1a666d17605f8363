import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from '@jest/globals';
import { databaseFile } from '../../../shared/store/embedded/database.ts';
import { openStore } from '../../../shared/store/open-store.ts';
import { type Thing, thingModel } from '../thing.ts';

/** What the writers were told about each document, by its id. */
export type Told = Map<number, { version: number; deleting?: boolean; deleted?: boolean }>;

/** @param line of a `Writer` */
export function note(told: Told, line: string): void {
	const [what, ...ids] = line.split(' ');
	for (const id of ids.map(Number)) {
		const known = told.get(id) ?? { version: 0 };
		if (what === 'inserted') known.version = 1;
		if (what === 'updated') known.version = 2;
		if (what === 'updated-all') known.version = 3;
		if (what === 'deleting') known.deleting = true;
		if (what === 'deleted') known.deleted = true;
		told.set(id, known);
	}
}

/** Every acknowledged write is there, no half one is, and no index is out of step. */
export async function expectKept(dataDir: string, told: Told): Promise<void> {
	const store = await openStore({ form: 'embedded', dataDir });
	const things = thingModel(store.connection);
	const found = new Map((await things.find({}).lean<Thing[]>()).map((document) => [document._id, document]));
	const lost = [...told].filter(([id, { version, deleting, deleted }]) => {
		const document = found.get(id);
		if (deleted) return document !== undefined;
		return document ? document.version < version : !deleting;
	});
	expect(lost).toEqual([]);
	expect([...found.values()].filter(({ name, version }) => name !== `v${version}`)).toEqual([]);
	const ranked = await things.countDocuments({ rank: { $gte: 0 } });
	expect(ranked).toBe([...found.values()].filter(({ rank }) => typeof rank === 'number').length);
	await store.close();
	const sqlite = new DatabaseSync(join(dataDir, databaseFile));
	const rows = sqlite.prepare('PRAGMA integrity_check').all();
	expect(rows.map((row) => row.integrity_check)).toEqual(['ok']);
	sqlite.close();
}
