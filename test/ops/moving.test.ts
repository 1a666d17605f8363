import { randomBytes } from 'node:crypto';
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { collectionNames } from '../../ops/moving/collections.ts';
import { SERVICE_NAMES } from '../../shared/config/config.ts';
import type { WebhookWithSecret } from '../../shared/contract/schemas/webhook.ts';
import { countDocuments } from '../../shared/store/embedded/count-documents.ts';
import { sayFormat } from '../../shared/store/format/format.ts';
import { openStore } from '../../shared/store/open-store.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { ProductProcess } from '../support/product-process.ts';
import { book, getBooking, newCustomer, type Place, slotOn, tryToBook } from '../support/scheduling.ts';
import { auditOf, ops, opsHere, opsWith } from './ops.ts';

let directory: string;
let product: Product;
let dataDir: string;
let client: Client;
let place: Place;
/** Of the product, open, with a webhook */
let file: string;

beforeAll(async () => {
	directory = mkdtempSync(join(tmpdir(), 'slotwise moving-'));
	product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 } });
	dataDir = join(product.directory, 'data');
	client = new Client(product.urls, product.keys.Unlimited[0]);
	place = await slotOn(client, { max_bookings: 5_000 });
	(await client.post<WebhookWithSecret>('/v1/webhooks', { url: 'https://example.com/' })).mustBe(201);
	for (let number = 0; number < 5; number++) await book(client, place, newCustomer());
	file = join(directory, 'open.gz');
	expect(await ops(dataDir, 'export', file)).toMatchObject({ code: 0, stderr: '' });
});
afterAll(async () => {
	await product?.stop();
	rmSync(directory, { recursive: true, force: true });
});

const ourKey = () => join(dataDir, 'secret.key');
const importInto = (target: string, from = file, ...more: string[]) =>
	opsWith({ DATA_DIR: target }, directory, ['import', from, ...more]);
/** The same without a process of its own */
const importHere = (target: string, from = file, ...more: string[]) =>
	opsHere({ DATA_DIR: target }, 'import', from, ...more);
const imported = (target: string) => importInto(target, file, '--secret-key-file', ourKey());

/** Starts a process on a directory for the length of some work. */
async function serving(
	target: string,
	work: (client: Client, process: ProductProcess) => Promise<void>,
): Promise<void> {
	const env = { DATA_DIR: target, ADMIN_PORT: '0', LOG_FORMAT: 'json', WEBHOOK_ALLOW_PRIVATE: '1' };
	const process = await ProductProcess.start('target', SERVICE_NAMES, env, directory);
	try {
		await process.ready();
		await work(new Client(() => [process.url!], client.key), process);
	} finally {
		await process.stop();
	}
}

test('D2: When a service keeps a collection, then it is in the export', async () => {
	const kept = Object.keys(countDocuments(await backedUp())).filter((name) => name !== 'store_format');
	expect(kept.length).toBeGreaterThan(15);
	expect([...collectionNames].sort()).toEqual(kept.sort());
	const lines = gunzipSync(readFileSync(file))
		.toString()
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line));
	expect(lines.filter((line) => 'collection' in line && !('_id' in line)).map(({ collection }) => collection)).toEqual(
		collectionNames,
	);
});

async function backedUp(): Promise<string> {
	const where = join(directory, 'backup');
	expect((await ops(dataDir, 'backup', where)).code).toBe(0);
	return join(where, 'slotwise.db');
}

test('D2: When an export was made while it served, then nothing stays beside it, and only its owner reads it', () => {
	expect(
		readdirSync(directory).filter((name) => name.includes('slotwise-export') || name.includes('unfinished')),
	).toEqual([]);
	expect(statSync(file).mode & 0o777).toBe(0o600);
});

describe('D2: into another directory', () => {
	test('D2: When it is imported with the key of the source, then all is there, a key replays, and secrets open', async () => {
		const target = join(directory, 'target');
		const headers = { 'Idempotency-Key': 'moved' };
		const customer = newCustomer();
		const first = await tryToBook(client, place, customer, { headers });
		const moved = join(directory, 'moved.gz');
		expect((await ops(dataDir, 'export', moved)).code).toBe(0);
		expect(await importInto(target, moved, '--secret-key-file', ourKey())).toMatchObject({ code: 0, stderr: '' });
		expect(readFileSync(join(target, 'secret.key'), 'utf8')).not.toBe(readFileSync(ourKey(), 'utf8'));
		await serving(target, async (there) => {
			const again = await tryToBook(there, place, customer, { headers });
			expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([201, first.text, 'true']);
			expect(await getBooking(there, first.data.id)).toEqual(first.data);
			expect((await book(there, place, newCustomer())).id).toBeGreaterThan(first.data.id);
			expect(await auditOf(target)).toMatchObject({ code: 0, findings_count: 0 });
			expect((await ops(target, 'secrets', 'rewrap')).stdout).toContain(
				'1 webhook, 0 sealed anew. The first SECRET_KEY opens all',
			);
		});
		expect(await importInto(target)).toMatchObject({ code: 2 });
	});

	test('D2: When the target has the same secret.key, then no key has to be named', async () => {
		const target = join(directory, 'same key');
		mkdirSync(target);
		writeFileSync(join(target, 'secret.key'), readFileSync(ourKey()), { mode: 0o600 });
		expect(await importInto(target)).toMatchObject({ code: 0, stderr: '' });
	});
});

/** The lines of the export, changed, and packed again. */
function spoilt(name: string, change: (lines: string[]) => string[] | Buffer): string {
	const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
	const changed = change(lines);
	const to = join(directory, `${name}.gz`);
	writeFileSync(to, Buffer.isBuffer(changed) ? changed : gzipSync(`${changed.join('\n')}\n`));
	return to;
}

describe('D2: an import is refused with one sentence and the code 2, and nothing is changed', () => {
	const header = (changes: object) => (lines: string[]) => [
		JSON.stringify({ ...JSON.parse(lines[0]!), ...changes }),
		...lines.slice(1),
	];
	test.each<[string, (lines: string[]) => string[] | Buffer, string]>([
		['it is cut short', () => readFileSync(file).subarray(0, -20), 'is cut short'],
		['it is cut after a document', (lines) => lines.slice(0, -1), 'is cut short'],
		['a byte of it is another one', () => Buffer.from(readFileSync(file)).fill(0xff, 400, 401), 'is damaged'],
		[
			'a text of it is another one',
			(lines) => lines.map((line) => line.replace('Piano', 'Organ')),
			'its checksum is wrong',
		],
		[
			'a document is missing',
			(lines) => lines.filter((line) => !line.includes('Customer 1"')),
			'its checksum is wrong',
		],
		['it is no export', () => Buffer.from('what is this?'), 'is damaged'],
		['it is empty', () => Buffer.alloc(0), 'is cut short'],
		['it is another JSON', () => ['{"a":1}'], 'is no export of Slotwise'],
		['its file is of a later release', header({ slotwise_export: 2 }), 'later release'],
		[
			'its documents are of a later release',
			header({ store_format: { version: 99, writable_from: 99 } }),
			'has the format 99',
		],
	])('D2: When %s', async (name, change, sentence) => {
		const target = join(directory, `never ${name}`);
		const answer = await importHere(target, spoilt(name, change), '--secret-key-file', ourKey());
		expect(answer).toEqual({
			code: 2,
			stdout: '',
			stderr: expect.stringMatching(new RegExp(`^.*${sentence}.*\\.\\n$`)),
		});
		expect(existsSync(target)).toBe(false);
	});

	test('D2: When its secrets are sealed with another key, or the file of it is none', async () => {
		const target = join(directory, 'no key');
		const other = join(directory, 'other.key');
		writeFileSync(other, randomBytes(32).toString('base64'));
		for (const more of [[], ['--secret-key-file', other]]) {
			const { code, stderr } = await importHere(target, file, ...more);
			expect([code, stderr]).toEqual([
				2,
				expect.stringMatching(/^The secrets of webhooks \d+ .+ another SECRET_KEY: name .+\.\n$/),
			]);
		}
		for (const none of [file, join(directory, 'nothing')]) {
			expect(await importHere(target, file, '--secret-key-file', none)).toMatchObject({
				code: 2,
				stderr: expect.stringMatching(/^.+\.\n$/),
			});
		}
		expect(await importHere(target, join(directory, 'nothing'))).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('cannot be read'),
		});
		expect(existsSync(target)).toBe(false);
	});

	test('D2: When the store is in use, or was ever used', async () => {
		expect(await imported(dataDir)).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('is in use') });
		const used = join(directory, 'used');
		await serving(used, async () => {});
		expect(await importHere(used, file, '--secret-key-file', ourKey())).toEqual({
			code: 2,
			stdout: '',
			stderr: expect.stringContaining('The store is not empty'),
		});
	});

	test.each([
		['an earlier', 1],
		['a later', 99],
	])('D2: When %s release made the store, whose file this one would bring forward', async (which, format) => {
		const target = join(directory, `of ${which} release`);
		mkdirSync(target);
		const stored = join(import.meta.dirname, '../upgrade/stored-by-0.1/slotwise.db.gz');
		const before = gunzipSync(readFileSync(stored));
		before.writeUInt32BE(format, 60); // `user_version`
		writeFileSync(join(target, 'slotwise.db'), before);
		expect(await importHere(target, file, '--secret-key-file', ourKey())).toEqual({
			code: 2,
			stdout: '',
			stderr: expect.stringMatching(new RegExp(`^The store is not empty: ${which} release made it\\. .+\\.\\n$`)),
		});
		expect(readdirSync(target)).toEqual(['slotwise.db']);
		expect(readFileSync(join(target, 'slotwise.db')).equals(before)).toBe(true);
	});

	test('D2: When the target has a secret.key that is none', async () => {
		const target = join(directory, 'no secret');
		mkdirSync(target);
		writeFileSync(join(target, 'secret.key'), 'none');
		expect(await importHere(target, file, '--secret-key-file', ourKey())).toEqual({
			code: 2,
			stdout: '',
			stderr: expect.stringMatching(/secret\.key must be 32 bytes in base64.+\.\n$/),
		});
		expect(readdirSync(target)).toEqual(['secret.key']);
	});

	test('D2: When a file cannot have the name, then an export is refused before the store is closed', async () => {
		const dangling = join(directory, 'dangling');
		symlinkSync(join(directory, 'nothing', 'file.gz'), dangling);
		const beside = readdirSync(directory);
		const log = async () => JSON.parse((await opsHere({ DATA_DIR: dataDir }, 'log', '--json')).stdout).length;
		const before = await log();
		const names = ['nothing/file.gz', 'open.gz/file.gz', 'x'.repeat(255), 'dangling', 'open.gz', '.'];
		for (const where of [...names.map((name) => join(directory, name)), '/proc/file.gz']) {
			expect(await opsHere({ DATA_DIR: dataDir }, 'export', where, '--close')).toEqual({
				code: 2,
				stdout: '',
				stderr: expect.stringMatching(/^.+\.\n$/),
			});
			await book(client, place, newCustomer());
		}
		expect(await log()).toBe(before);
		expect(readdirSync(directory)).toEqual(beside);
	});
});

test('D2: When an import was not finished, then no process starts on it, and the next import does it from the begin', async () => {
	const target = join(directory, 'unfinished');
	expect((await imported(target)).code).toBe(0);
	const store = await openStore({ form: 'embedded', dataDir: target });
	await store.connection
		.collection<{ _id: string }>('store_format')
		.insertOne({ _id: 'closing', state: 'unfinished' } as never);
	await store.connection.collection('events').deleteMany({});
	await store.close();
	const process = await ProductProcess.start(
		'target',
		SERVICE_NAMES,
		{ DATA_DIR: target, ADMIN_PORT: '0', LOG_FORMAT: 'json' },
		directory,
	);
	expect(await process.exited).toBe(78);
	expect(process.tail()).toMatch(/An import into this store was not finished: run `ops import` again\.\n?$/);
	expect(await opsWith({ DATA_DIR: target }, directory, ['reopen'])).toMatchObject({ code: 2 });
	expect(await imported(target)).toMatchObject({ code: 0, stderr: '' });
	await serving(target, async (there) => {
		const { events } = (await there.get<{ events: object[] }>('/v1/events?after=0')).mustBe(200);
		expect(events.length).toBeGreaterThanOrEqual(5);
	});
});

test('D3: When a later release wrote the store, then it is not reopened, and nothing in it is changed', async () => {
	const target = join(directory, 'later');
	expect((await imported(target)).code).toBe(0);
	const store = await openStore({ form: 'embedded', dataDir: target });
	await sayFormat(store.connection, { version: 99, writable_from: 99 });
	await store.close();
	const before = readFileSync(join(target, 'slotwise.db'));
	expect(await opsWith({ DATA_DIR: target }, directory, ['reopen'])).toEqual({
		code: 2,
		stdout: '',
		stderr: expect.stringMatching(/^The store is in format 99, .+: start the newer release\.\n$/),
	});
	expect(readFileSync(join(target, 'slotwise.db')).equals(before)).toBe(true);
});

test('When the database is none, then neither a command nor a start says more than one sentence', async () => {
	const target = join(directory, 'no database');
	mkdirSync(target);
	writeFileSync(join(target, 'slotwise.db'), 'x'.repeat(10_000));
	expect(await opsWith({ DATA_DIR: target }, directory, ['reopen'])).toEqual({
		code: 1,
		stdout: '',
		stderr: `The store in DATA_DIR ${target} cannot be used: file is not a database.\n`,
	});
	const env = { DATA_DIR: target, ADMIN_PORT: '0', LOG_FORMAT: 'json' };
	const process = await ProductProcess.start('none', SERVICE_NAMES, env, directory);
	expect(await process.exited).toBe(1);
	expect(process.tail()).toMatch(/DATA_DIR .+ holds no store that can be read: file is not a database\.\n?$/);
});

test('D2: When it is exported closed, then it refuses changes until it is reopened, across a start as well', async () => {
	const closed = join(directory, 'closed.gz');
	const key = { headers: { 'Idempotency-Key': 'before' } };
	const customer = newCustomer();
	const before = await tryToBook(client, place, customer, key);
	expect(await ops(dataDir, 'export', closed, '--close')).toMatchObject({
		code: 0,
		stdout: expect.stringContaining('until `reopen`'),
	});
	const state = async () => (await ops(dataDir, 'status')).stdout.match(/^The store .*$/m)?.[0];
	expect(await state()).toBe('The store is closed: no change is taken, and nothing sent, until `reopen`.');
	const refused = await tryToBook(client, place, newCustomer());
	expect([refused.status, refused.headers['retry-after']]).toEqual([503, expect.any(String)]);
	expect(await getBooking(client, before.data.id)).toEqual(before.data);
	expect((await tryToBook(client, place, customer, key)).text).toBe(before.text);
	const [process] = product.processes;
	await process!.stop();
	await process!.restart();
	expect(await process!.exited).toBe(1);
	expect(process!.tail()).toMatch(/The store is closed, because it was exported: `ops reopen` opens it again\.\n?$/);
	expect(await ops(dataDir, 'reopen')).toMatchObject({ code: 0, stderr: '' });
	await process!.restart();
	await process!.ready();
	expect(await state()).toBeUndefined();
	await book(client, place, newCustomer());
	expect((await ops(dataDir, 'export', join(directory, 'again.gz'), '--close')).code).toBe(0);
	expect(await ops(dataDir, 'reopen')).toMatchObject({ code: 0, stderr: '' });
	await book(client, place, newCustomer());
});
