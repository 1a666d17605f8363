import { connect } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { eventExample, serviceExample } from '../../services/gateway/operations/examples.ts';
import { pagination } from '../../shared/contract/schemas/pagination.ts';
import { systemClock } from '../../shared/engine/clock.ts';
import { Client } from '../support/http-client.ts';
import { until } from '../support/until.ts';
import { type Backend, startGateway, type TestGateway } from './support/start-gateway.ts';

/** ms after which no gateway believes what it knew of a key before; with the half second of a request's own, less than 5 s */
const LATER = 4_600;

let gateway: TestGateway | undefined;
afterEach(async () => {
	await gateway?.stop();
	gateway = undefined;
});

/** A gateway that has a key, and a revocation that is told to nobody: it counts some seconds later. */
async function withKey(backend: Backend) {
	let ahead = 0;
	const clock = { ...systemClock, now: () => Date.now(), monotonic: () => performance.now() + ahead };
	const started = await startGateway({ backend, clock });
	gateway = started;
	const key = started.addKey();
	const count = (action: string) => started.calls.filter((each) => each.action === action).length;
	const revoke = () => {
		started.removeKey(key);
		ahead += LATER;
	};
	return { ...started, key, count, revoke };
}

/** Sends the head and some of the body, does something, and sends the rest. @returns what came back */
async function posted(url: string, key: string, body: string, meanwhile: () => Promise<void>): Promise<string> {
	const { hostname, port } = new URL(url);
	const socket = connect(Number(port), hostname);
	let answered = '';
	socket.on('data', (data) => {
		answered += data;
	});
	socket.write(
		`POST /v1/services HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
			`Content-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
	);
	await meanwhile();
	socket.write(body.slice(5));
	await until(async () => answered.includes('\r\n\r\n'));
	socket.destroy();
	return answered;
}

test.each(['{"name":"Late","timezone":"UTC","time_slots":[]}', '{"name":17}', '{"name":'])(
	'A3: When a key is revoked while the body %s is on its way, then nothing is done, and only that is told',
	async (body) => {
		const { url, key, count, revoke } = await withKey({
			'catalog.createService': () => ({ data: serviceExample, replayed: false }),
		});
		const answered = await posted(url, key, body, async () => {
			await until(async () => count('accounts.verifyKey') === 1);
			revoke();
		});
		expect(answered).toMatch(/^HTTP\/1\.1 401 /);
		expect(count('catalog.createService')).toBe(0);
	},
);

test('A3, R6: When 130 requests of an address end with a key that was revoked meanwhile, then a good key that is new from there is served', async () => {
	const { url, key, count, revoke, addKey } = await withKey({
		'catalog.createService': () => ({ data: serviceExample, replayed: false }),
		'catalog.listServices': () => ({ services: [], pagination: pagination(1, 10, 0) }),
	});
	let begun = 0;
	const allBegun = Promise.withResolvers<void>();
	const slow = Array.from({ length: 130 }, () =>
		posted(url, key, '{"name":"Late","timezone":"UTC","time_slots":[]}', async () => {
			begun++;
			await allBegun.promise;
		}),
	);
	await until(async () => begun === 130 && count('accounts.verifyKey') > 0);
	await new Promise((resolve) => setTimeout(resolve, 200)); // until all heads were read
	revoke();
	allBegun.resolve();
	for (const answered of await Promise.all(slow)) expect(answered).toMatch(/^HTTP\/1\.1 401 /);
	const others = Array.from({ length: 20 }, () => new Client([url], addKey()).get('/v1/services'));
	expect((await Promise.all(others)).map(({ status }) => status)).toEqual(Array(20).fill(200));
});

test('A3: When a key is revoked while it waits for events, then it is not told of those that come', async () => {
	const events = Promise.withResolvers<void>();
	const { url, key, count, revoke } = await withKey({
		'notifications.listEvents': async () => {
			await events.promise;
			return { events: [eventExample], has_more: false, next_after: eventExample.sequence };
		},
	});
	const polled = new Client([url], key).get('/v1/events?wait=30');
	await until(async () => count('notifications.listEvents') === 1);
	revoke();
	events.resolve();
	expect((await polled).status).toBe(401);
});

test('A3: When a key is revoked after its change was begun, then what was done is told', async () => {
	const done = Promise.withResolvers<void>();
	const { url, key, count, revoke } = await withKey({
		'catalog.updateService': async () => {
			await done.promise;
			return serviceExample;
		},
	});
	const changed = new Client([url], key).patch('/v1/services/1', { name: 'Begun' });
	await until(async () => count('catalog.updateService') === 1);
	revoke();
	done.resolve();
	expect((await changed).status).toBe(200);
	expect((await new Client([url], key).get('/v1/services')).status).toBe(401);
});
