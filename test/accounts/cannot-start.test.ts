import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createApiKey } from '../../shared/secrets/api-key.ts';

test('When BOOTSTRAP_KEYS names an unknown package, then the process ends with one sentence that says so', async () => {
	const directory = mkdtempSync(join(tmpdir(), 'slotwise-start-'));
	const env = {
		BOOTSTRAP_KEYS: `${createApiKey()}:Gold`,
		DATA_DIR: directory,
		PORT: '0',
		ADMIN_PORT: 'off',
	};
	const ended = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
		execFile(process.execPath, ['main.js'], { env, timeout: 100_000 }, (error, _, stderr) =>
			resolve({ code: error?.code, stderr }),
		);
	});
	rmSync(directory, { recursive: true });
	expect(ended).toEqual({
		code: 1,
		stderr: 'BOOTSTRAP_KEYS names the package "Gold", which is none of Starter, Developer, Growth, Unlimited.\n',
	});
});
