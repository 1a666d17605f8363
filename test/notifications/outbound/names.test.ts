import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
	askNameServers,
	askSystem,
	TargetGuard,
} from '../../../services/notifications/webhooks/outbound/find-addresses.ts';
import { WebhookSender } from '../../../services/notifications/webhooks/outbound/send.ts';
import { type Canary, startCanary } from './canary.ts';
import { type NameServer, startNameServer, type Zone } from './name-server.ts';

const NOT_PUBLIC = 'leads to an address that is not public';
const zone: Zone = {
	'public.example.com': ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'],
	'loopback.example.com': ['127.0.0.1'],
	'loopback6.example.com': ['0:0:0:0:0:0:0:1'],
	'mixed.example.com': ['93.184.216.34', '127.0.0.1'],
	'mixed6.example.com': ['93.184.216.34', '0:0:0:0:0:ffff:7f00:1'],
	'alias.example.com': { alias: 'second.example.com' },
	'second.example.com': { alias: 'loopback.example.com' },
	'empty.example.com': [],
	'silent.example.com': 'silent',
};

let server: NameServer;
let canary: Canary;
beforeAll(async () => {
	server = await startNameServer(zone);
	canary = await startCanary();
});
afterAll(async () => {
	server.close();
	await canary.close();
});

const never = new AbortController().signal;

describe('W5: what name servers answer', () => {
	test.each(['loopback', 'loopback6', 'mixed', 'mixed6', 'alias'])(
		'When %s.example.com leads to this machine, then it is refused at registration and at connect',
		async (name) => {
			const rules = { allowPrivate: false, lookup: askNameServers([server.address]) };
			const url = `https://${name}.example.com:${canary.port}/`;
			expect(await new TargetGuard(rules).check(url)).toBe(NOT_PUBLIC);
			const { error } = await new WebhookSender(rules).send({ url, headers: {}, body: '' });
			expect(error).toBe(`the URL ${NOT_PUBLIC}`);
			expect(canary.connections()).toBe(0);
		},
	);

	test('When a name has addresses of both kinds, then all of them are found', async () => {
		const addresses = await askNameServers([server.address])('public.example.com', never);
		expect(addresses).toEqual(['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946']);
	});

	test.each(['empty.example.com', 'absent.example.com'])('When %s has no address, then that is said', async (name) => {
		const rules = { allowPrivate: false, lookup: askNameServers([server.address]) };
		const sender = new WebhookSender(rules);
		const attempt = await sender.send({ url: `https://${name}/`, headers: {}, body: '' });
		expect(attempt).toMatchObject({ status: null, error: 'the host name does not resolve' });
		expect(await new TargetGuard(rules).check(`https://${name}/`)).toBeUndefined();
	});

	test('When name servers are silent, then files are read meanwhile, and the attempt ends by its own limit', async () => {
		const sender = new WebhookSender({ allowPrivate: false, lookup: askNameServers([server.address]), timeout: 3_000 });
		const ended: string[] = [];
		const asked = server.questions();
		const attempts = Array.from({ length: 50 }, async () => {
			const attempt = await sender.send({ url: 'https://silent.example.com/', headers: {}, body: '' });
			ended.push('attempt');
			return attempt;
		});
		await readFile(import.meta.filename).then(() => ended.push('file'));
		expect(ended).toEqual(['file']);
		for (const attempt of await Promise.all(attempts)) {
			expect(attempt).toMatchObject({ status: null, error: 'no complete answer within 3 s' });
		}
		expect(server.questions() - asked).toBeGreaterThanOrEqual(100); // twice each: the resolver asks again after 2 s, and gives up after 6
	});

	test('When an attempt is cancelled during its look-up, then the look-up ends as well', async () => {
		const cancelled = new AbortController();
		const answer = askNameServers([server.address])('silent.example.com', cancelled.signal);
		cancelled.abort();
		await expect(answer).rejects.toMatchObject({ code: 'ECANCELLED' });
	});
});

describe('names of the system', () => {
	test('When the system knows a name, then its addresses are found', async () => {
		const addresses = await askSystem('localhost', never);
		expect(addresses.length).toBeGreaterThan(0);
		for (const address of addresses) expect(['127.0.0.1', '::1']).toContain(address);
	});
});

/** 127.0.0.2 is loopback on Linux only. */
const testOnLinux = process.platform === 'linux' ? test : test.skip;

describe('W5: between the look-up and the connection', () => {
	testOnLinux(
		'When a second look-up would answer otherwise, then the connection takes what the first one gave',
		async () => {
			const receiver = await listen(
				createServer((_, response) => response.end()),
				'127.0.0.1',
			);
			const { port } = receiver.address() as AddressInfo;
			const elsewhere = await startCanary('127.0.0.2', port);
			const answers = ['127.0.0.1', '127.0.0.2'];
			let lookups = 0;
			const lookup = async () => [answers[lookups++]!];
			const sender = new WebhookSender({ allowPrivate: true, lookup });
			const message = { url: `http://hooks.example.com:${port}/`, headers: {}, body: '' };
			expect(await sender.send(message)).toMatchObject({ status: 200, error: null });
			expect([lookups, elsewhere.connections()]).toEqual([1, 0]);
			// The next attempt asks again, and no connection is left that leads to the old address
			expect(await sender.send(message)).toMatchObject({ status: null });
			expect([lookups, elsewhere.connections()]).toEqual([2, 1]);
			receiver.close();
			await elsewhere.close();
		},
	);

	test('When the first of several addresses refuses, then the next one is tried', async () => {
		const receiver = await listen(
			createServer((_, response) => response.end()),
			'127.0.0.1',
		);
		const { port } = receiver.address() as AddressInfo;
		const sender = new WebhookSender({ allowPrivate: true, lookup: async () => ['127.0.0.9', '127.0.0.1'] });
		const attempt = await sender.send({ url: `http://hooks.example.com:${port}/`, headers: {}, body: '' });
		expect(attempt).toMatchObject({ status: 200, error: null });
		receiver.close();
	});
});

async function listen(server: Server, host: string): Promise<Server> {
	await new Promise<void>((resolve) => server.listen(0, host, resolve));
	return server;
}
