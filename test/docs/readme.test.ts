import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Child } from '../support/child.ts';
import { until } from '../support/until.ts';

const root = new URL('../..', import.meta.url).pathname;
const text = readFileSync(join(root, 'README.md'), 'utf8');

/** The calls of the README, each with the answer that stands below it. */
const calls = [...text.matchAll(/```sh\n(curl [\s\S]*?)\n```\n\n```json\n(.*)\n```/g)].map(([, command, answer]) => [
	command!,
	answer!,
]);

/** `…` stands for whatever is not worth a reader's time. */
function pattern(answer: string): RegExp {
	const literal = answer.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
	return new RegExp(`^${literal.join('.+?')}$`);
}

const missing = ['bash', 'curl'].filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
const [onBash, why] =
	missing.length > 0 ? [describe.skip, ` (skipped: ${missing.join(' and ')} is not here)`] : [describe, ''];

onBash(`the README${why}`, () => {
	const directory = mkdtempSync(join(tmpdir(), 'slotwise-readme-'));
	let product: Child;
	const environment = { API: '', KEY: '', PATH: process.env.PATH };

	beforeAll(async () => {
		const env = { PATH: process.env.PATH ?? '', PORT: '0', ADMIN_PORT: 'off', LOG_FORMAT: 'json' };
		product = new Child('slotwise', process.execPath, [join(root, 'main.js')], {
			env,
			cwd: directory,
			logFile: join(directory, 'log'),
		});
		const output = () => readFileSync(join(directory, 'log'), 'utf8');
		environment.KEY = await until(() => /slw_[0-9A-Za-z]{36}/.exec(output())?.[0]);
		environment.API = `${await until(() => /"url":"([^"]+)"/.exec(output())?.[1])}/v1`;
	});
	afterAll(async () => {
		await product.stop();
		rmSync(directory, { recursive: true, force: true });
	});

	test('It shows four calls', () => {
		expect(calls).toHaveLength(4);
	});

	test.each(calls)('When a reader runs\n%s\nthen the answer is the one that is shown', async (command, answer) => {
		const { stdout } = await promisify(execFile)('bash', ['-c', command], { env: environment });
		expect(stdout).toMatch(pattern(answer));
	});

	test('The line that the first start prints works as it is printed', async () => {
		const printed = /( {2}curl -s [\s\S]*?)\n\n/.exec(readFileSync(join(directory, 'log'), 'utf8'))![1]!;
		const { stdout } = await promisify(execFile)('bash', ['-c', printed], { env: environment });
		expect(JSON.parse(stdout)).toMatchObject({ data: { id: 2, name: 'Piano lesson' } });
	});
});
