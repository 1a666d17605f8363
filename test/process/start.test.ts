import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { loadedBy } from './loaded-by.ts';

/** The sources, whether there is a bundle or not */
const MAIN = resolve(import.meta.dirname, '../../main.ts');
const directory = mkdtempSync(join(tmpdir(), 'slotwise-start-'));

afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('When a process of the embedded form starts', () => {
	const { status, native, files } = loadedBy(MAIN, { DATA_DIR: directory });

	test('Then it is not kept waiting by what it does not use', () => {
		expect(status).toBe(0);
		expect(native.length).toBeGreaterThan(100);
		expect(native.filter((name) => name.includes('undici'))).toEqual([]); // see shared/http/http.ts
		expect(files.length).toBeGreaterThan(1_000);
		expect(files.filter((name) => /node_modules\/(ioredis|nats|moleculer-repl)\//.test(name))).toEqual([]);
	});
});
