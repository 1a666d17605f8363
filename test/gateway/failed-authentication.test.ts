import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { LimitsReport } from '../../shared/contract/reports.ts';
import { createApiKey } from '../../shared/secrets/api-key.ts';
import { createFeedToken } from '../../shared/secrets/feed-token.ts';
import { TestClock } from '../limiter/test-clock.ts';
import type { Answer } from '../support/http-client.ts';
import { exampleBackend } from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

const clock = new TestClock();
let gateway: TestGateway;
let addresses = 0;
beforeAll(async () => {
	const backend = { ...exampleBackend, 'catalog.findFeed': async () => null };
	gateway = await startGateway({ backend, clock, environment: { TRUST_PROXY: '127.0.0.1,::1' } });
});
afterAll(() => gateway.stop());
beforeEach(() => {
	clock.pass(3_600_000);
	gateway.calls.length = 0;
});

const newAddress = () => `198.51.100.${++addresses}`;
const wrongChecksum = () => {
	const good = createApiKey();
	return good.slice(0, -1) + (good.endsWith('0') ? '1' : '0');
};

/** A request with a key, or none, as a trusted proxy passes it on. */
function send(address: string, key?: string): Promise<Answer> {
	return gateway.client.withKey(key).get('/v1/bookings/7', { headers: { 'x-forwarded-for': address } });
}

async function fail(address: string, count: number, key = wrongChecksum): Promise<number[]> {
	const answers = await Promise.all(Array.from({ length: count }, () => send(address, key())));
	return answers.map(({ status }) => status);
}

test('R6: When an address fails more than 100 times, then 429 in the plan’s shape, one key like another', async () => {
	const address = newAddress();
	expect(await fail(address, 100)).toEqual(Array(100).fill(401));
	for (const key of [wrongChecksum(), createApiKey(), 'nonsense', undefined]) {
		const answer = await send(address, key);
		const error = { code: 'rate_limit_exceeded', message: 'too many failed authentications', retry_after: 1 };
		expect([answer.status, answer.body]).toEqual([429, { error, code: 'rate_limit_exceeded' }]);
		expect(answer.headers['retry-after']).toBe('1');
		expect(answer.headers).not.toHaveProperty('www-authenticate');
		expect(answer.headers).not.toHaveProperty('x-ratelimit-limit');
	}
});

test('R6: When a good key comes from an address that failed too often, then it is served, and takes nothing from it', async () => {
	const address = newAddress();
	await fail(address, 101);
	for (let i = 0; i < 150; i++) expect((await send(address, gateway.client.key)).status).toBe(200);
	const unseen = gateway.addKey({ account_id: 'acc_unseen' });
	expect((await send(address, unseen)).status).toBe(200);
	clock.pass(600);
	expect(await fail(address, 1)).toEqual([401]);
});

test('When a minute passes, then an address may fail 100 times again; after Retry-After once', async () => {
	const address = newAddress();
	await fail(address, 101);
	clock.pass(Number((await send(address)).headers['retry-after']) * 1_000);
	expect((await send(address)).status).toBe(401);
	clock.pass(60_000);
	const statuses = await fail(address, 120);
	expect(statuses.filter((status) => status === 401)).toHaveLength(100);
});

test('When networks failed, then an operator sees how many, and a minute later none', async () => {
	const before = await gateway.broker.call<LimitsReport>('gateway.limits');
	for (let i = 0; i < 3; i++) await fail(newAddress(), 101);
	const { failed_authentication } = await gateway.broker.call<LimitsReport>('gateway.limits');
	const refused = before.failed_authentication.refused + 3;
	expect(failed_authentication).toEqual({ refused, networks: 3 });
	clock.pass(60_000);
	expect(await gateway.broker.call('gateway.limits')).toMatchObject({ failed_authentication: { networks: 0 } });
});

test('When one address failed too often, then others may still fail, except in its 64 bits of IPv6', async () => {
	await fail('2001:db8:0:1::1', 100);
	expect(await fail('2001:db8:0:1:ffff::2', 1)).toEqual([429]);
	expect(await fail('2001:db8:0:2::1', 1)).toEqual([401]);
	expect(await fail(newAddress(), 1)).toEqual([401]);
});

test('A1: When a key with a wrong checksum fails too often, then it still costs no call', async () => {
	const address = newAddress();
	expect(await fail(address, 150)).toContain(429);
	expect(gateway.calls).toEqual([]);
});

describe('X8: look-ups for an address that failed too often', () => {
	const lookUps = () => gateway.calls.filter(({ action }) => action === 'accounts.verifyKey').length;

	test('X8: When thousands of unknown keys come at once, then they cost a look-up for each failure that is left, and 5', async () => {
		expect((await fail(newAddress(), 3_000, createApiKey)).filter((status) => status === 401).length).toBe(100);
		expect(lookUps()).toBeLessThanOrEqual(105);
	});

	test('X8: When unknown keys keep coming from there, then at most 5 a second are looked up, the others are 429 without', async () => {
		const address = newAddress();
		await fail(address, 101);
		gateway.calls.length = 0;
		for (let tenth = 0; tenth < 50; tenth++) {
			const before = lookUps();
			await fail(address, 40, createApiKey);
			expect(lookUps() - before).toBeLessThanOrEqual(5);
			clock.pass(100);
		}
		expect(lookUps()).toBeGreaterThanOrEqual(5);
		expect(lookUps()).toBeLessThanOrEqual(25);
	});

	test('X8: When a key was good before, then it is looked up again, whatever comes from its address', async () => {
		const address = newAddress();
		const key = gateway.addKey();
		expect((await send(address, key)).status).toBe(200);
		await fail(address, 101);
		for (let second = 0; second < 10; second++) {
			clock.pass(5_000); // longer than it is believed
			await fail(address, 120, createApiKey);
			expect((await send(address, key)).status).toBe(200);
		}
	});

	test('X8: When a good key that is not known comes from there beside a flood, then it is served when it comes again', async () => {
		const address = newAddress();
		await fail(address, 101);
		await fail(address, 200, createApiKey);
		const key = gateway.addKey();
		expect((await send(address, key)).status).toBe(429);
		clock.pass(1_000);
		await fail(address, 200, createApiKey);
		expect((await send(address, key)).status).toBe(200);
	});

	test('X8: When many good keys that are not known come at once from an address that did not fail, then all are served', async () => {
		const address = newAddress();
		const keys = Array.from({ length: 400 }, () => gateway.addKey());
		const answers = await Promise.all(keys.map((key) => send(address, key)));
		expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
	});
});

test('F1: When an address asks for calendar feeds that are not there, then that is failed authentication, and stops', async () => {
	const address = newAddress();
	const read = (file: string) => gateway.client.get(`/calendar/${file}`, { headers: { 'x-forwarded-for': address } });
	const files = Array.from({ length: 110 }, (_, at) => (at % 2 === 0 ? `${createFeedToken()}.ics` : `${at}.ics`));
	const statuses = [];
	for (const file of files) statuses.push((await read(file)).status);
	expect(statuses).toEqual([...Array(100).fill(404), ...Array(10).fill(429)]);
	expect(await fail(address, 1)).toEqual([429]);
	expect(gateway.calls.filter(({ action }) => action === 'catalog.findFeed').length).toBeLessThanOrEqual(55);
});

test('When a good key lacks a scope, then it is no failed authentication', async () => {
	const address = newAddress();
	const reader = gateway.addKey({ account_id: 'acc_reader', scopes: [] });
	for (let i = 0; i < 110; i++) expect((await send(address, reader)).status).toBe(403);
	expect(await fail(address, 1)).toEqual([401]);
});

test('R6: When nobody is trusted, then X-Forwarded-For gives nobody a new address', async () => {
	const alone = await startGateway({ backend: exampleBackend, clock });
	const statuses: number[] = [];
	for (let i = 0; i < 102; i++) {
		const headers = { 'x-forwarded-for': newAddress() };
		statuses.push((await alone.client.withKey(undefined).get('/v1/bookings/7', { headers })).status);
	}
	expect(statuses).toEqual([...Array(100).fill(401), 429, 429]);
	await alone.stop();
});
