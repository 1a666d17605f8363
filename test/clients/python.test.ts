import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { missing, PYTHON, pythonEnv } from './python.ts';

const client = resolve(import.meta.dirname, '../../clients/python');
const run = promisify(execFile);

const withPython = missing.python === undefined ? test : test.skip;
const withMypy = missing.mypy === undefined ? test : test.skip;
const because = (reason: string | undefined) => (reason === undefined ? '' : ` (${reason})`);

describe('The Python client', () => {
	withPython(`When its own tests run, then they pass${because(missing.python)}`, async () => {
		const files = readdirSync(`${client}/tests`).filter((name) => name.startsWith('test_'));
		expect(files).toHaveLength(2);
		const env = pythonEnv({ PYTHONPATH: 'src' });
		const { stderr } = await run(PYTHON, ['-m', 'unittest', 'discover', '-s', 'tests'], { cwd: client, env });
		const [, number] = /^Ran (\d+) tests/m.exec(stderr)!;
		expect(Number(number)).toBeGreaterThanOrEqual(25);
		expect(stderr).toMatch(/^OK$/m);
	});

	withMypy(`When mypy reads it strictly, then nothing is wrong${because(missing.mypy)}`, async () => {
		const env = pythonEnv({ MYPYPATH: 'src' });
		const files = ['src', 'tests', 'example.py'];
		const { stdout } = await run(PYTHON, ['-m', 'mypy', '--strict', ...files], { cwd: client, env });
		expect(stdout).toMatch(/^Success/);
	});
});
