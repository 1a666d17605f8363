import {
	appendFileSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platform } from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { digest, type Manifest } from '../../ops/moving/backup-directory.ts';
import { SERVICE_NAMES } from '../../shared/config/config.ts';
import type { WebhookWithSecret } from '../../shared/contract/schemas/webhook.ts';
import { Child } from '../support/child.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { ProductProcess } from '../support/product-process.ts';
import { book, getBooking, newCustomer, type Place, slotOn } from '../support/scheduling.ts';
import { until } from '../support/until.ts';
import { auditOf, MAIN, ops, opsHere, opsWith } from './ops.ts';

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

/** Changes a database that nobody has open, and leaves no log beside it. */
function edited(file: string, sql: string): void {
	const database = new DatabaseSync(file);
	database.exec(`PRAGMA journal_mode = DELETE; ${sql}; PRAGMA journal_mode = WAL`);
	database.close();
}

const check = (where: string) => opsWith({}, directory, ['restore-check', where]);
const checkHere = (where: string) => opsHere({}, 'restore-check', where);

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
		const modes = readdirSync(where).map((file) => [file, statSync(join(where, file)).mode & 0o777]);
		expect(modes.sort()).toEqual(['backup.json', 'secret.key', 'slotwise.db'].map((file) => [file, 0o600]));
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
		expect(await check(where)).toMatchObject({ code: 1, stderr: expect.stringContaining('was started from since') });
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
		expect(await checkHere(copy)).toEqual({
			code: 1,
			stdout: '',
			stderr: expect.stringMatching(new RegExp(`^.*${sentence}.*\\n$`)),
		});
	});

	test.each<[string, (file: string) => void, string]>([
		[
			'is of a later release',
			(file) => edited(file, 'PRAGMA user_version = 99'),
			'was written by a later release: check it with that one',
		],
		[
			'has documents of a later release',
			(file) => edited(file, `UPDATE store_format SET ":others" = '{"version":99,"writable_from":99}'`),
			'was written by a later release: check it with that one',
		],
		['is no database', (file) => writeFileSync(file, 'x'.repeat(10_000)), 'cannot be checked: file is not a database'],
	])(
		'D1: When the manifest is right, but the database %s, then one sentence says so',
		async (what, spoil, sentence) => {
			const copy = copied(what);
			spoil(join(copy, 'slotwise.db'));
			const manifest = JSON.parse(readFileSync(join(copy, 'backup.json'), 'utf8')) as Manifest;
			manifest.files['slotwise.db'] = await digest(join(copy, 'slotwise.db'));
			writeFileSync(join(copy, 'backup.json'), JSON.stringify(manifest));
			expect(await checkHere(copy)).toEqual({ code: 1, stdout: '', stderr: `${copy} ${sentence}.\n` });
		},
	);

	test('D1: When there is no directory to work in, then restore-check says so, and ends with 2', async () => {
		const env = { TMPDIR: join(directory, 'no such') };
		expect(await opsWith(env, directory, ['restore-check', backup])).toEqual({
			code: 2,
			stdout: '',
			stderr: expect.stringMatching(/^TMPDIR cannot be used: .+\.\n$/),
		});
	});

	test.each(['SIGINT', 'SIGTERM'] as const)(
		'D1: When it is ended by %s, then its copy does not stay',
		async (signal) => {
			const scratch = mkdtempSync(join(directory, 'scratch-'));
			const env = { PATH: process.env.PATH ?? '', TMPDIR: scratch };
			const running = new Child('restore-check', process.execPath, [MAIN, 'restore-check', backup], {
				env,
				cwd: directory,
			});
			await until(() => running.ended || readdirSync(scratch).length > 0, { what: 'its copy' });
			running.kill(signal);
			expect(await running.exited).toBe(signal);
			expect(readdirSync(scratch)).toEqual([]);
		},
	);

	test('D1: When a backup is only looked at, then nothing of it is written', async () => {
		const times = () => readdirSync(backup).map((name) => [name, statSync(join(backup, name)).mtimeMs]);
		const before = times();
		expect(await check(backup)).toMatchObject({ code: 0, stderr: '' });
		expect(times()).toEqual(before);
	});

	test('D1: When it is put over the store of a killed process, whose log is there, then no process starts on the mixture', async () => {
		const over = copied('over another');
		writeFileSync(join(over, 'slotwise.db-wal'), 'what another store had not put into its file');
		const before = readdirSync(over).map((name) => [name, readFileSync(join(over, name), 'base64')]);
		const env = { DATA_DIR: over, ADMIN_PORT: '0', LOG_FORMAT: 'json' };
		const begun = await ProductProcess.start('over', SERVICE_NAMES, env, directory);
		expect(await begun.exited).toBe(78);
		expect(begun.tail()).toMatch(/holds a backup beside the log of another store \(slotwise\.db-wal\): .+\.\n?$/);
		expect(await opsWith({ DATA_DIR: over }, directory, ['reopen'])).toMatchObject({ code: 2, stdout: '' });
		expect(readdirSync(over).map((name) => [name, readFileSync(join(over, name), 'base64')])).toEqual(before);
	});

	test('D1: When a process that was started from it is killed, then the next one starts', async () => {
		const where = copied('killed');
		const env = { DATA_DIR: where, ADMIN_PORT: '0', LOG_FORMAT: 'json' };
		const begun = await ProductProcess.start('killed', SERVICE_NAMES, env, directory);
		await begun.ready();
		begun.kill('SIGKILL');
		await begun.restart();
		await begun.ready();
		await begun.stop();
	});

	test('D1: When it is not finished, then it is no backup, and no process starts from it', async () => {
		const half = join(directory, 'half');
		mkdirSync(half);
		writeFileSync(join(half, 'slotwise.db.unfinished'), '');
		expect(await checkHere(half)).toMatchObject({ code: 1, stderr: expect.stringContaining('is no finished backup') });
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
			const { code, stdout, stderr } = await opsHere({ DATA_DIR: dataDir }, 'backup', where);
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
