import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SERVICE_NAMES } from '../../shared/config/config.ts';
import { createApiKey } from '../../shared/secrets/api-key.ts';
import { Child } from '../support/child.ts';
import { Client } from '../support/http-client.ts';
import { startProduct } from '../support/product.ts';
import { ProductProcess } from '../support/product-process.ts';
import { book, getBooking, newCustomer, type Place, slotOn, tryToBook } from '../support/scheduling.ts';
import { whyNoCluster } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { read, root } from './sources.ts';

/** What a chapter of docs/operations.md has its reader type, in order. */
function linesOf(chapter: string): string[] {
	const text = read('docs/operations.md')
		.split(/^###? /m)
		.find((part) => part.startsWith(`${chapter}\n`))!;
	return [...text.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].map(([, lines]) => lines!);
}

let directory: string;
let source: ProductProcess;
let client: Client;
let place: Place;

const env = { ADMIN_PORT: '0', LOG_FORMAT: 'json', WEBHOOK_ALLOW_PRIVATE: '1' };

beforeAll(async () => {
	directory = mkdtempSync(join(tmpdir(), 'slotwise-walk-'));
	// What npm does with `npm run ops -- …`, where the reader has no checkout.
	mkdirSync(join(directory, 'bin'));
	const npm = join(directory, 'bin', 'npm');
	const [node, ops, main] = [process.execPath, join(root, 'ops/main.ts'), join(root, 'main.js')];
	writeFileSync(
		npm,
		`#!/bin/sh\n[ "$1" = start ] && exec '${node}' '${main}'\nshift 3\nexec '${node}' '${ops}' "$@"\n`,
	);
	chmodSync(npm, 0o755);
	const key = createApiKey();
	source = await ProductProcess.start(
		'source',
		SERVICE_NAMES,
		{ ...env, BOOTSTRAP_KEYS: `${key}:Unlimited` },
		directory,
	);
	await source.ready();
	client = new Client(() => [source.url!], key);
	place = await slotOn(client, { max_bookings: 100 });
});
afterAll(async () => {
	await source?.stop();
	rmSync(directory, { recursive: true, force: true });
});

/** @returns what was printed */
function type(line: string, variables: Record<string, string> = {}): Promise<string> {
	const PATH = [join(directory, 'bin'), process.env.PATH].join(delimiter);
	const options = { cwd: directory, env: { PATH, ...variables } };
	return new Promise((resolve, reject) => {
		execFile('sh', ['-ec', line], options, (error, stdout, stderr) => {
			if (error === null) resolve(stdout);
			else reject(new Error(`${line}: ${stderr}`));
		});
	});
}

const inCluster = whyNoCluster() === undefined ? test : test.skip;

describe('docs/operations.md, walked through', () => {
	test('D1: When a reader backs up and goes back as the chapter says, then he has what he had', async () => {
		const [backUp, check, restore, ...others] = linesOf('Back up and restore');
		expect(others).toEqual([]);
		const kept = await book(client, place, newCustomer());
		await type(backUp!);
		expect(await type(check!)).toContain('0 findings');
		const lost = await book(client, place, newCustomer());
		await source.stop();
		await type(restore!);
		await source.restart();
		await source.ready();
		expect(await getBooking(client, kept.id)).toEqual(kept);
		expect((await client.get(`/v1/bookings/${lost.id}`)).status).toBe(404);
		expect(await type('npm run ops -- audit')).toContain('0 findings');
	});

	test('D3: When a reader goes to a new version as the chapter says, then all is there', async () => {
		const [backUp, audit, ...others] = linesOf('New versions');
		expect(others).toEqual([]);
		const kept = await book(client, place, newCustomer());
		await type(backUp!);
		await source.stop();
		await source.restart();
		await source.ready();
		expect(await type(audit!)).toContain('0 findings');
		expect(await getBooking(client, kept.id)).toEqual(kept);
	});

	test('C4: When a reader keeps less as the chapter says, then old bookings go, and afterwards everything stays', async () => {
		const [keepLess, show, keepAll, ...others] = linesOf('Keep less').flatMap((lines) => lines.split('\n'));
		expect(others).toEqual([]);
		const { user_id } = await book(client, place, newCustomer());
		const own = (line: string | undefined) => type(line!.replace('acc_demo', user_id));
		const longAgo = { ...place, date: '2020-03-16' };
		const old = await book(client, longAgo);
		await own(keepLess);
		expect(await own(show)).toContain('bookings are kept for 400 days after their end');
		const isGone = async () => (await client.get(`/v1/bookings/${old.id}`)).status === 404;
		await until(isGone, { what: 'the removal', timeout: 60_000 });
		expect(await own(keepAll)).toContain('bookings are kept until somebody deletes them');
		expect(await type('npm run ops -- audit')).toContain('0 findings');
	});

	test('C2: When a reader erases a person as the chapter says, then nothing is kept about her', async () => {
		const [tell, erase, ...others] = linesOf('Erase a person');
		expect(others).toEqual([]);
		const variables = { API: `${source.url}/v1`, KEY: client.key! };
		await book(client, place, { customer_email: 'ada@example.com' });
		expect(await type(tell!, variables)).toContain('ada@example.com');
		expect(JSON.parse(await type(erase!, variables))).toMatchObject({ data: { bookings: 1 } });
		const isGone = async () => JSON.parse(await type(tell!, variables)).data.bookings.length === 0;
		await until(isGone, { what: 'the erasure' });
	});

	test('When a reader rotates the log as the chapter says, then the process goes on at the beginning of the file', async () => {
		const [start, rotate, ...others] = linesOf('Rotate logs');
		expect(others).toEqual([]);
		const here = join(directory, 'logs');
		mkdirSync(here);
		const PATH = [join(directory, 'bin'), process.env.PATH].join(delimiter);
		const own = { PATH, PORT: '0', ADMIN_PORT: 'off', LOG_FORMAT: 'json', DEMO: '0' };
		const logging = new Child('logging', 'sh', ['-c', `${start!.replace('npm', 'exec npm')}`], { env: own, cwd: here });
		const log = (name = 'slotwise.log') => readFileSync(join(here, name), 'utf8');
		try {
			const url = await until(() => /"url":"([^"]+)"/.exec(log())?.[1]);
			await until(() => log().includes('process ready'));
			await type(`cd logs; ${rotate}`);
			expect(log('slotwise.log.1')).toContain('process ready');
			expect(log()).not.toContain('process ready');
			await fetch(`${url}/v1/bookings`);
			await until(() => log().includes('"status":401'), { what: 'a line in the emptied file' });
			expect(log()[0]).toBe('{');
		} finally {
			await logging.stop();
		}
	});

	inCluster(
		'D2: When a reader moves to a cluster as the chapter says, then all is there, and the source can be reopened',
		async () => {
			const [exportClosed, importAll, audit, reopen, ...others] = linesOf('Move to a cluster');
			expect(others).toEqual([]);
			const booking = await book(client, place, newCustomer());
			await type(exportClosed!);
			expect((await tryToBook(client, place, newCustomer())).status).toBe(503);
			await source.stop();
			const cluster = await startProduct({ form: 'cluster', whole: 0 });
			try {
				await type(importAll!, cluster.operatorEnv);
				await Promise.all(SERVICE_NAMES.map((service) => cluster.add(service)));
				expect(await type(audit!, cluster.operatorEnv)).toContain('0 findings');
				const there = new Client(cluster.urls, client.key);
				expect(await getBooking(there, booking.id)).toEqual(booking);
				await book(there, place, newCustomer());
			} finally {
				await cluster.stop();
			}
			await type(reopen!);
			await source.restart();
			await source.ready();
			await book(client, place, newCustomer());
		},
	);

	test('D4: When a reader rotates the secret key as the chapter says, then the old one is needed no more', async () => {
		const [make, rewrap, ...others] = linesOf('Rotate secrets');
		expect(others).toEqual([]);
		(await client.post('/v1/webhooks', { url: 'http://127.0.0.1:9/' })).mustBe(201);
		const [old, next] = [readFileSync(join(directory, 'data/secret.key'), 'utf8').trim(), (await type(make!)).trim()];
		const roll = async (key: string) => {
			writeFileSync(join(directory, '.env'), `SECRET_KEY=${key}\n`);
			await source.stop();
			await source.restart();
			await source.ready();
		};
		await roll(`${next},${old}`);
		await type(rewrap!);
		await roll(next);
		await type(rewrap!); // it ends with 1 where something stays closed
	});
});
