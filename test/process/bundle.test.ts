import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadedBy } from './loaded-by.ts';

const PRODUCT = resolve(import.meta.dirname, '../..');
const directory = mkdtempSync(join(tmpdir(), 'slotwise-bundle-'));
let root = join(directory, 'product');

/** A copy with the packages of this one, and a bundle of its own, which the tests use one after the other: the last ones spoil it. */
beforeAll(() => {
	for (const name of ['main.js', 'main.ts', 'moleculer.config.ts', 'package.json', 'shared', 'services', 'ops']) {
		cpSync(join(PRODUCT, name), join(root, name), { recursive: true, preserveTimestamps: true });
	}
	const packages = join(root, 'node_modules');
	mkdirSync(packages);
	for (const name of readdirSync(join(PRODUCT, 'node_modules'))) {
		if (name !== '.cache') symlinkSync(join(PRODUCT, 'node_modules', name), join(packages, name));
	}
	expect(makeBundle()).toEqual({ status: 0, stderr: '' });
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function makeBundle() {
	const file = join(root, 'shared/process/make-bundle.ts');
	const { status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
	return { status, stderr };
}

/** What a process has loaded when it has started, or could not. */
const started = (env: Record<string, string> = {}) =>
	loadedBy(join(root, 'main.js'), { ...env, DATA_DIR: mkdtempSync(join(directory, 'data-')) });

/** What runs before it is known whether there is a bundle */
const BEFORE = ['/on-node-24.js', '/trusted-node.js', '/current-bundle.ts'];
const isSource = (file: string) =>
	/\/(services|shared)\//.test(file) && !BEFORE.some((before) => file.endsWith(before));
const sourcesRun = (env?: Record<string, string>) => started(env).files.filter(isSource);

describe('When a bundle was made', () => {
	test('Then a process of the embedded form runs it, and starts', () => {
		const { status, files } = started();
		expect(status).toBe(0);
		expect(files.some((file) => file.includes('slotwise-bundle'))).toBe(true);
		expect(files.filter(isSource)).toEqual([]);
	});

	test('And lines are to be readable, then the thread that writes them is found beside the bundle', () => {
		const { status, files } = started({ LOG_FORMAT: 'pretty' });
		expect(status).toBe(0);
		expect(files.filter(isSource)).toEqual([]);
	});

	test('Then a process of a cluster runs the sources', () => {
		expect(sourcesRun({ MONGO_URL: 'mongodb://127.0.0.1:1' })).not.toEqual([]);
	});

	test('And a source is written, then the sources run until another one is made', () => {
		appendFileSync(join(root, 'services/booking/booking.service.ts'), '// changed\n');
		expect(sourcesRun()).not.toEqual([]);
		expect(makeBundle().status).toBe(0);
		expect(sourcesRun()).toEqual([]);
	});

	test('And the product is moved, then the sources run', () => {
		const moved = `${root}-moved`;
		renameSync(root, moved);
		root = moved;
		expect(sourcesRun()).not.toEqual([]);
	});

	test('And the bundler is not installed when another one is made, then that is said, and nothing fails', () => {
		rmSync(join(root, 'node_modules/rolldown'));
		expect(makeBundle()).toEqual({ status: 0, stderr: expect.stringContaining("Cannot find package 'rolldown'") });
	});
});
