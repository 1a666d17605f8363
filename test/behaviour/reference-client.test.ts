import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newAccount } from '../support/shared-product.ts';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** A project of a user's own: the client, the example, and what both import. */
describe('The client that is generated from the reference', () => {
	const project = mkdtempSync(join(tmpdir(), 'slotwise-client-'));

	beforeAll(async () => {
		const generate = join(root, 'services/gateway/openapi/generate-client.ts');
		await run(process.execPath, [generate, join(project, 'client')]);
		cpSync(join(root, 'docs/client-example.ts'), join(project, 'client-example.ts'));
		symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
		writeFileSync(join(project, 'package.json'), '{"type": "module"}');
	});
	afterAll(() => rmSync(project, { recursive: true, force: true }));

	const compile = async (file: string) => {
		const options = { extends: join(root, 'tsconfig.json'), include: [], files: [file] };
		writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(options));
		const compiled = run(process.execPath, [join(root, 'node_modules/typescript/lib/tsc.js'), '-p', project]);
		return compiled.then(
			() => '',
			({ stdout }: { stdout: string }) => stdout,
		);
	};

	test('When the example is compiled strictly, then it has no error', async () => {
		expect(await compile('client-example.ts')).toBe('');
	});

	test('When somebody mistypes a field, then the compiler says so', async () => {
		const call = "createBooking({ createBooking: { date: '2026-11-23', time_slot: 7 } })";
		writeFileSync(join(project, 'typo.ts'), `import { createBooking } from './client/slotwise.ts';\nawait ${call};\n`);
		expect(await compile('typo.ts')).toMatch(/typo\.ts\(2,\d+\): error TS\d+: .*time_slot/);
	});

	test('When the example is run against the product, then it books once', async () => {
		const client = newAccount();
		const env = { PATH: process.env.PATH, API: client.url, KEY: client.key };
		const { stdout } = await run(process.execPath, [join(project, 'client-example.ts')], { env });
		const [free, first, repeated, refused] = stdout.trim().split('\n');
		expect(free).toBe('4 free on 2026-11-23T09:00:00+01:00 (Europe/Berlin)');
		expect(first).toMatch(/^booking \d+ is pending$/);
		expect([repeated, refused]).toEqual([first, 'refused: duplicate booking']);
	});
});
