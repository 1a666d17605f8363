import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { databaseFile } from '../../../shared/store/embedded/database.ts';
import { openStore } from '../../../shared/store/open-store.ts';
import { until } from '../../support/until.ts';
import { temporaryDirectory } from '../stores.ts';
import { type Thing, thingModel } from '../thing.ts';
import { Writer } from './writer.ts';

/** SIGKILLs in one run; nightly 200. */
const kills = Number(process.env.STORE_KILLS ?? 20);

/** What the writers were told about a document. */
interface Told {
	version: number;
	deleting?: boolean;
	deleted?: boolean;
}

describe('the embedded store under SIGKILL', () => {
	const directory = temporaryDirectory();

	test(
		`E2: When the writer is killed ${kills} times, then every acknowledged write is there and no index is out of step`,
		async () => {
			const dataDir = directory();
			const told = new Map<number, Told>();
			for (let kill = 0; kill < kills; kill++) {
				const writer = new Writer(dataDir, 1 + kill * 1_000_000);
				const enough = 1 + Math.floor(Math.random() ** 3 * 400);
				await until(() => writer.lines.length > enough, { interval: 1, what: `${enough} lines; ${writer.err}` });
				writer.kill();
				expect(await writer.ended).toBe('SIGKILL');
				for (const line of writer.lines) note(told, line);
				await check(dataDir, told);
			}
			expect(told.size).toBeGreaterThan(kills);
		},
		60_000 + kills * 6_000,
	);
});

function note(told: Map<number, Told>, line: string): void {
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

async function check(dataDir: string, told: Map<number, Told>): Promise<void> {
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
	expect(
		sqlite
			.prepare('PRAGMA integrity_check')
			.all()
			.map((row) => row.integrity_check),
	).toEqual(['ok']);
	sqlite.close();
}
