import {
	appendFileSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platform } from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Manifest } from '../../ops/moving/backup-directory.ts';
import { SERVICE_NAMES } from '../../shared/config/config.ts';
import type { WebhookWithSecret } from '../../shared/contract/schemas/webhook.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { ProductProcess } from '../support/product-process.ts';
import { book, getBooking, newCustomer, type Place, slotOn } from '../support/scheduling.ts';
import { auditOf, ops, opsWith } from './ops.ts';

let product: Product;
let dataDir: string;
let directory: string;
let client: Client;
let place: Place;
/** A backup that no test changes */
let backup: string;

beforeAll(async () => {
	product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 } });
	dataDir = join(product.directory, 'data');
	directory = mkdtempSync(join(tmpdir(), 'slotwise backups-'));
	client = new Client(product.urls, product.keys.Unlimited[0]);
	place = await slotOn(client, { max_bookings: 500 });
	(await client.post<WebhookWithSecret>('/v1/webhooks', { url: 'https://example.com/' })).mustBe(201);
	for (let number = 0; number < 20; number++) await book(client, place, newCustomer());
	backup = join(directory, 'kept');
	expect(await ops(dataDir, 'backup', backup)).toMatchObject({ code: 0, stderr: '' });
});
afterAll(async () => {
	await product?.stop();
	rmSync(directory, { recursive: true, force: true });
});

/** A copy of the backup, that a test may spoil. */
function copied(name: string): string {
	const copy = join(directory, name);
	cpSync(backup, copy, { recursive: true });
	return copy;
}

const check = (where: string) => opsWith({}, directory, ['restore-check', where]);

describe('D1: a backup of a running embedded process', () => {
	test('D1: When it is made while bookings are made, then a process starts from it with all that was answered before', async () => {
		const before = await book(client, place, newCustomer());
		let isOver = false;
		const traffic = (async () => {
			while (!isOver) await book(client, place, newCustomer());
		})();
		const where = join(directory, 'under load');
		const made = await opsWith({ DATA_DIR: dataDir }, directory, ['backup', 'under load', '--json']); // as seen from there
		isOver = true;
		await traffic;
		expect(made).toMatchObject({ code: 0, stderr: '' });
		const { counts } = JSON.parse(made.stdout) as Manifest;
		expect(counts.bookings).toBeGreaterThanOrEqual(21);
		expect(statSync(join(where, 'secret.key')).mode & 0o777).toBe(0o600);
		expect(statSync(where).mode & 0o777).toBe(0o700);
		const { code, stdout, stderr } = await check(where);
		expect([code, stderr]).toEqual([0, '']);
		expect(stdout).toContain(`${counts.bookings} bookings and 1 place (slot and date) looked at: 0 findings`);

		const env = { DATA_DIR: where, HOST: '127.0.0.1', ADMIN_PORT: '0', LOG_FORMAT: 'json', WEBHOOK_ALLOW_PRIVATE: '1' };
		const restored = await ProductProcess.start('restored', SERVICE_NAMES, env, directory);
		try {
			await restored.ready();
			const there = new Client(() => [restored.url!], client.key);
			expect(await getBooking(there, before.id)).toEqual(before);
			await book(there, place, newCustomer());
			expect(await auditOf(where)).toMatchObject({ code: 0, findings_count: 0 });
			expect((await ops(where, 'secrets', 'rewrap')).stdout).toContain('1 webhook, 0 sealed anew.');
		} finally {
			await restored.stop();
		}
		expect(await check(where)).toMatchObject({ code: 1, stderr: expect.stringContaining('is not what was backed up') });
	});

	test.each([
		[
			'a byte of the database is another one',
			(copy: string) => appendFileSync(join(copy, 'slotwise.db'), 'x'),
			'is not what was backed up',
		],
		[
			'the key is another one',
			(copy: string) => writeFileSync(join(copy, 'secret.key'), 'x'),
			'is not what was backed up',
		],
		['the key is gone', (copy: string) => rmSync(join(copy, 'secret.key')), 'secret.key is gone'],
		[
			'it has no manifest',
			(copy: string) => rmSync(join(copy, 'backup.json')),
			'is no finished backup: it has no backup.json',
		],
		[
			'its manifest is cut',
			(copy: string) => writeFileSync(join(copy, 'backup.json'), '{"format":1,'),
			'backup.json is damaged',
		],
		[
			'its manifest is of a later release',
			(copy: string) => writeFileSync(join(copy, 'backup.json'), '{"format":2}'),
			'written by a later release',
		],
	])('D1: When %s, then restore-check says so in one sentence, and ends with 1', async (what, spoil, sentence) => {
		const copy = copied(what);
		spoil(copy);
		expect(await check(copy)).toEqual({
			code: 1,
			stdout: '',
			stderr: expect.stringMatching(new RegExp(`^.*${sentence}.*\\n$`)),
		});
	});

	test('D1: When a backup is only looked at, then nothing of it is written', async () => {
		const times = () => readdirSync(backup).map((name) => [name, statSync(join(backup, name)).mtimeMs]);
		const before = times();
		expect(await check(backup)).toMatchObject({ code: 0, stderr: '' });
		expect(times()).toEqual(before);
	});

	test('D1: When it is not finished, then it is no backup, and no process starts from it', async () => {
		const half = join(directory, 'half');
		mkdirSync(half);
		writeFileSync(join(half, 'slotwise.db.unfinished'), '');
		expect(await check(half)).toMatchObject({ code: 1, stderr: expect.stringContaining('is no finished backup') });
		const begun = await ProductProcess.start(
			'half',
			SERVICE_NAMES,
			{ DATA_DIR: half, ADMIN_PORT: '0', LOG_FORMAT: 'json' },
			directory,
		);
		expect(await begun.exited).toBe(78);
		expect(begun.tail()).toContain(`DATA_DIR ${half} holds a backup that was not finished: take another one.`);
		expect(readdirSync(half)).toEqual(['slotwise.db.unfinished']);
		expect(await ops(dataDir, 'backup', half)).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('not finished'),
		});
	});

	test('D1: When the directory is not empty, is a file, or cannot be made, then nothing is done, and the code is 2', async () => {
		const file = join(directory, 'file');
		writeFileSync(file, '');
		for (const where of [
			backup,
			dataDir,
			file,
			join(file, 'below'),
			...(platform === 'linux' ? ['/proc/backup'] : []),
		]) {
			const before = existsSync(where) && statSync(where).mtimeMs;
			const { code, stdout, stderr } = await ops(dataDir, 'backup', where);
			expect({ where, code, stdout, stderr }).toEqual({
				where,
				code: 2,
				stdout: '',
				stderr: expect.stringMatching(/^.+\.\n$/),
			});
			expect(existsSync(where) && statSync(where).mtimeMs).toBe(before);
		}
	});

	test('D1: When no process runs, then a backup is refused, and leaves nothing that could be taken for one', async () => {
		const where = join(directory, 'of nothing');
		expect(await opsWith({ DATA_DIR: join(directory, 'nothing') }, directory, ['backup', where])).toMatchObject({
			code: 1,
			stderr: expect.stringContaining('No process'),
		});
		expect(readdirSync(where)).toEqual([]);
	});

	test('D1: When two are made at once, then each is whole, or refused', async () => {
		const wheres = ['one', 'two', 'three'].map((name) => join(directory, name));
		const made = await Promise.all(wheres.map((where) => ops(dataDir, 'backup', where)));
		expect(made.filter(({ code }) => code === 0).length).toBeGreaterThan(0);
		for (const [at, { code, stderr }] of made.entries()) {
			if (code !== 0) expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('already') });
			expect((await check(wheres[at]!)).code).toBe(code === 0 ? 0 : 2);
		}
	});

	test('D1: When SECRET_KEY is in the environment, then the backup has none, and says so', async () => {
		const where = join(directory, 'without key');
		const env = { DATA_DIR: dataDir, SECRET_KEY: Buffer.alloc(32, 1).toString('base64') };
		const { code, stdout } = await opsWith(env, directory, ['backup', where]);
		expect([code, stdout]).toEqual([0, expect.stringContaining('SECRET_KEY is in the environment, not in the backup')]);
		expect(readdirSync(where).sort()).toEqual(['backup.json', 'slotwise.db']);
	});
});
