import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { modelsOn } from '../../ops/moving/collections.ts';
import { databaseFile } from '../../shared/store/embedded/database.ts';
import { bringForward, ownFormat } from '../../shared/store/format/format.ts';
import { openStore } from '../../shared/store/open-store.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';

/** Writes before which the process dies, spread over all of them; nightly `all` */
const POINTS = process.env.UPGRADE_KILLS === 'all' ? Number.POSITIVE_INFINITY : Number(process.env.UPGRADE_KILLS ?? 12);

const directory = mkdtempSync(join(tmpdir(), 'slotwise-killed-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const FILES = [databaseFile, `${databaseFile}-wal`];
const silent = { info() {} };

/** What a start does to the store before it serves. @returns all that is there then */
async function opened(dataDir: string): Promise<Record<string, unknown>> {
	const store = await openStore({ form: 'embedded', dataDir });
	try {
		const models = modelsOn(store.connection);
		await bringForward(store.connection, silent);
		await prepareModels(models);
		const all: Record<string, unknown> = {};
		for (const name of ['store_format', ...models.map(({ collection }) => collection.name)]) {
			const collection = store.connection.collection(name);
			const rows = (await collection.find({}, { sort: { _id: 1 } }).toArray()) as { noted_at?: number }[];
			all[name] = rows.map(({ noted_at, ...row }) => row); // a first answer's person is noted at a moment of its own
			all[`indexes of ${name}`] = await collection.listIndexes().toArray();
		}
		return all;
	} finally {
		await store.close();
	}
}

/** Calls `before` before each statement that may write, with its number, from 1. @returns ends that */
function watch(before: (nth: number) => void): () => void {
	const { exec } = DatabaseSync.prototype;
	const { run } = StatementSync.prototype;
	let count = 0;
	DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
		before(++count);
		exec.call(this, sql);
	};
	StatementSync.prototype.run = function (this: StatementSync, ...values: unknown[]) {
		before(++count);
		return (run as (...words: unknown[]) => ReturnType<typeof run>).apply(this, values);
	} as typeof run;
	return () => {
		DatabaseSync.prototype.exec = exec;
		StatementSync.prototype.run = run;
	};
}

/** A `DATA_DIR` as 0.1 left it. */
function stored(name: string): string {
	const dataDir = join(directory, name);
	mkdirSync(dataDir);
	const file = join(import.meta.dirname, 'stored-by-0.1', 'slotwise.db.gz');
	writeFileSync(join(dataDir, databaseFile), gunzipSync(readFileSync(file)));
	return dataDir;
}

/** What a process leaves that is killed: the files as they are at that moment, for the system has all that it wrote. */
function left(dataDir: string, nth: number): string {
	const copy = join(directory, String(nth));
	mkdirSync(copy);
	for (const file of FILES) if (existsSync(join(dataDir, file))) copyFileSync(join(dataDir, file), join(copy, file));
	return copy;
}

async function die(): Promise<void> {
	let writes = 0;
	const stop = watch((nth) => {
		writes = nth;
	});
	const whole = await opened(stored('counted')).finally(stop);
	expect(whole.store_format).toEqual([expect.objectContaining({ version: ownFormat })]);
	const every = Math.max(1, writes / POINTS);
	const copies: string[] = [];
	const source = stored('watched');
	const end = watch((nth) => {
		if (Math.floor(nth / every) > Math.floor((nth - 1) / every)) copies.push(left(source, nth));
	});
	expect(await opened(source).finally(end)).toEqual(whole);
	process.stdout.write(`${writes} writes, ${copies.length} deaths\n`);
	expect(copies.length).toBeGreaterThan(Math.min(writes, POINTS) / 2);
	for (const copy of copies) {
		expect([copy, await opened(copy)]).toEqual([copy, whole]);
		const database = new DatabaseSync(join(copy, databaseFile));
		expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
		database.close();
		rmSync(copy, { recursive: true });
	}
}

test(
	'D3: When a data directory of 98156cf is killed before each write of its first start, then the next start does the rest',
	die,
	POINTS === Number.POSITIVE_INFINITY ? 3_600_000 : 240_000,
);
