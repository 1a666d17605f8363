import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';

const MAIN = resolve(import.meta.dirname, '../../main.js');
const directory = mkdtempSync(join(tmpdir(), 'slotwise-start-'));

afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Told by the process itself when it ends, which it does as soon as it has said that it is ready. */
const TELL = `
	import { createRequire } from 'node:module';
	const write = process.stdout.write;
	process.stdout.write = function (text, ...rest) {
		if (String(text).includes('reference http')) process.kill(process.pid, 'SIGTERM');
		return write.call(this, text, ...rest);
	};
	process.on('exit', () => {
		const files = Object.keys(createRequire('file:///').cache);
		process.stderr.write(JSON.stringify({ native: process.moduleLoadList, files }));
	});
`;

/** What a process of the embedded form has loaded when it is ready. */
function loaded(): { native: string[]; files: string[] } {
	const env = { PATH: process.env.PATH, DATA_DIR: directory, PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'warn' };
	const told = ['--import', `data:text/javascript,${encodeURIComponent(TELL)}`];
	const { stderr } = spawnSync(process.execPath, [...told, MAIN], { env, encoding: 'utf8', timeout: 25_000 });
	return JSON.parse(stderr);
}

describe('When a process of the embedded form starts', () => {
	const { native, files } = loaded();

	test('Then it is not kept waiting by what it does not use', () => {
		expect(native.length).toBeGreaterThan(100);
		expect(native.filter((name) => name.includes('undici'))).toEqual([]); // see shared/http.ts
		expect(files.length).toBeGreaterThan(500);
		expect(files.filter((name) => /node_modules\/(ioredis|nats|moleculer-repl)\//.test(name))).toEqual([]);
	});
});
