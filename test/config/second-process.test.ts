import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { openStore } from '../../shared/store/open-store.ts';
import type { Store } from '../../shared/store/store.ts';

const MAIN = resolve(import.meta.dirname, '../../main.js');
const dataDir = mkdtempSync(join(tmpdir(), 'slotwise-second-'));
let first: Store | undefined;

afterEach(async () => {
	await first?.close();
	rmSync(dataDir, { recursive: true, force: true });
});

test('E4: When a second process is started on a DATA_DIR, then it says so in one sentence and ends', async () => {
	first = await openStore({ form: 'embedded', dataDir });
	const env = { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: '0', ADMIN_PORT: 'off', LOG_FORMAT: 'json' };
	const second = spawnSync(process.execPath, [MAIN], { cwd: tmpdir(), env, encoding: 'utf8', timeout: 100_000 });
	expect(second.stdout).toBe('');
	expect(second.stderr).toBe(`DATA_DIR ${dataDir} is in use by another process\n`);
	expect(second.status).toBe(1);
});
