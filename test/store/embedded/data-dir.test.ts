import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { DataDirInUse, databaseFile } from '../../../shared/store/embedded/database.ts';
import { openStore } from '../../../shared/store/open-store.ts';
import { until } from '../../support/until.ts';
import { temporaryDirectory } from '../stores.ts';
import { Writer } from './writer.ts';

describe('the directory of the embedded store', () => {
	const directory = temporaryDirectory();
	const open = (dataDir: string) => openStore({ form: 'embedded', dataDir });

	test('When it is missing, then it is made for its owner only', async () => {
		const dataDir = join(directory(), 'deep', 'data');
		const store = await open(dataDir);
		expect(statSync(dataDir).mode & 0o777).toBe(0o700);
		for (const suffix of ['', '-wal']) expect(statSync(join(dataDir, databaseFile + suffix)).mode & 0o777).toBe(0o600);
		await store.ping();
		await store.close();
	});

	test('E4: When a second process opens it, then that one ends with one sentence, and the first goes on', async () => {
		const dataDir = directory();
		const store = await open(dataDir);
		const second = new Writer(dataDir);
		expect(await second.ended).toBe(1);
		expect(second.err.trim()).toBe(`DATA_DIR ${dataDir} is in use by another process`);
		expect(second.out).toBe('');
		await store.ping();
		await store.close();
	});

	test('E4: When the same process opens it twice, then the second time is refused', async () => {
		const dataDir = directory();
		const store = await open(dataDir);
		await expect(open(dataDir)).rejects.toThrow(DataDirInUse);
		await store.close();
		await (await open(dataDir)).close();
	});

	test('E4: When the process that held it was killed, then it opens at once', async () => {
		const dataDir = directory();
		const writer = new Writer(dataDir);
		await until(() => writer.lines.includes('ready'), { what: `the writer; ${writer.err}` });
		await expect(open(dataDir)).rejects.toThrow(DataDirInUse);
		writer.kill();
		await writer.ended;
		await (await open(dataDir)).close();
	});

	test('When a later version wrote it, then it is not opened', async () => {
		const dataDir = directory();
		await (await open(dataDir)).close();
		const sqlite = new DatabaseSync(join(dataDir, databaseFile));
		sqlite.exec('PRAGMA user_version = 99');
		sqlite.close();
		await expect(open(dataDir)).rejects.toThrow('later version');
	});
});
