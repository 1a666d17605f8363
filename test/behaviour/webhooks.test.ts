import { describe, expect, test } from '@jest/globals';
import type { Webhook, WebhookList, WebhookWithSecret } from '../../shared/contract/schemas/webhook.ts';
import { expectError, expectRefusal, TIMESTAMP } from '../support/expectations.ts';
import type { Client } from '../support/http-client.ts';
import { newAccount } from '../support/shared-product.ts';

const URL = 'http://127.0.0.1:9/hook';

async function create(client: Client, changes: Record<string, unknown> = {}): Promise<WebhookWithSecret> {
	return (await client.post<WebhookWithSecret>('/v1/webhooks', { url: URL, ...changes })).mustBe(201);
}

async function list(client: Client, query = {}): Promise<WebhookList> {
	return (await client.get<WebhookList>('/v1/webhooks', { query })).mustBe(200);
}

describe('POST /v1/webhooks (contract §8)', () => {
	test('When one is created, then the answer has all of it, the secret, ETag and Location', async () => {
		const client = newAccount();
		const answer = await client.post<WebhookWithSecret>('/v1/webhooks', {
			url: URL,
			events: ['booking.created'],
			description: 'Calendar',
		});
		const webhook = answer.mustBe(201);
		expect(webhook).toEqual({
			id: expect.any(Number),
			url: URL,
			events: ['booking.created'],
			description: 'Calendar',
			enabled: true,
			disabled_reason: null,
			disabled_at: null,
			failing_since: null,
			missed: null,
			version: 1,
			created_at: expect.stringMatching(TIMESTAMP),
			updated_at: webhook.created_at,
			secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/),
		});
		expect(answer.headers.etag).toBe('"1"');
		expect(answer.headers.location).toBe(`/v1/webhooks/${webhook.id}`);
	});

	test('When only the URL is given, then it is enabled and gets every event', async () => {
		const { events, description, enabled } = await create(newAccount());
		expect({ events, description, enabled }).toEqual({ events: ['*'], description: null, enabled: true });
	});

	test('When it is created disabled, then it says that this was asked for', async () => {
		const { enabled, disabled_reason, disabled_at, created_at } = await create(newAccount(), { enabled: false });
		expect({ enabled, disabled_reason, disabled_at }).toEqual({
			enabled: false,
			disabled_reason: 'requested',
			disabled_at: created_at,
		});
	});

	const bad: [string, unknown, string][] = [
		['a missing URL', { url: undefined }, 'url'],
		['an empty URL', { url: '' }, 'url'],
		['a URL of 2,049 characters', { url: `${URL}/${'x'.repeat(2_049 - URL.length)}` }, 'url'],
		['what is no URL', { url: 'nowhere' }, 'url'],
		['another scheme', { url: 'ftp://example.com/' }, 'url'],
		['no events', { events: [] }, 'events'],
		['an unknown event', { events: ['booking.exploded'] }, 'events[0]'],
		['the test event', { events: ['webhook.test'] }, 'events[0]'],
		['a type twice', { events: ['booking.created', 'booking.created'] }, 'events'],
		['a type beside *', { events: ['*', 'booking.created'] }, 'events'],
		['an unknown field', { colour: 'red' }, 'colour'],
		['a description of 256 characters', { description: 'x'.repeat(256) }, 'description'],
		['enabled as a text', { enabled: 'yes' }, 'enabled'],
	];
	test.each(bad)('When it has %s, then it is 400 and named, and nothing is made', async (_, changes, named) => {
		const client = newAccount();
		expectRefusal(await client.post('/v1/webhooks', { url: URL, ...(changes as object) }), 400, named);
		expect((await list(client)).webhooks).toEqual([]);
	});

	test('When 40 are created at once, then 25 are there, and the others are refused with 422', async () => {
		const client = newAccount();
		const answers = await Promise.all(
			Array.from({ length: 40 }, (_, number) => client.post<Webhook>('/v1/webhooks', { url: `${URL}/${number}` })),
		);
		const made = answers.filter((answer) => answer.status === 201).map((answer) => answer.data.id);
		const refused = answers.filter((answer) => answer.status !== 201);
		for (const answer of refused) expectError(answer, 422, 'an account has at most 25 webhooks');
		expect(made).toHaveLength(25);
		const { webhooks, pagination } = await list(client, { page_size: 100 });
		expect(webhooks.map((webhook) => webhook.id)).toEqual(made.sort((a, b) => a - b));
		expect(pagination).toMatchObject({ total_items: 25, total_count: 25, total_pages: 1 });
		(await client.delete(`/v1/webhooks/${made[0]}`)).mustBe(200);
		await create(client);
		expect((await client.post('/v1/webhooks', { url: URL })).status).toBe(422);
	});

	test('N6: When a sixth is to be enabled for one URL, then 422 says why, by POST and by PATCH, and nothing changes', async () => {
		const client = newAccount();
		const answers = await Promise.all(
			Array.from({ length: 8 }, () => client.post<Webhook>('/v1/webhooks', { url: URL })),
		);
		const error = 'an account has at most 5 enabled webhooks for one URL';
		expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
		for (const answer of answers.filter(({ status }) => status !== 201)) expectError(answer, 422, error);
		const idle = await create(client, { enabled: false });
		const other = await create(client, { url: `${URL}/other` });
		expectError(await client.patch(`/v1/webhooks/${idle.id}`, { enabled: true }), 422, error);
		expectError(await client.patch(`/v1/webhooks/${other.id}`, { url: URL }), 422, error);
		expect((await client.get<Webhook>(`/v1/webhooks/${other.id}`)).mustBe(200)).toMatchObject({ version: 1 });
		const [first] = (await list(client)).webhooks;
		(await client.delete(`/v1/webhooks/${first!.id}`)).mustBe(200);
		(await client.patch(`/v1/webhooks/${other.id}`, { url: URL })).mustBe(200);
		await create(newAccount()); // another account's count for themselves
	});
});

describe('Idempotency-Key', () => {
	const keyed = (client: Client, key: string, body: unknown) =>
		client.post<WebhookWithSecret>('/v1/webhooks', body, { headers: { 'idempotency-key': key } });

	test('When a creation is repeated, then the first answer comes again with its secret, also after a change', async () => {
		const client = newAccount();
		const first = (await keyed(client, 'k', { url: URL })).mustBe(201);
		(await client.patch(`/v1/webhooks/${first.id}`, { description: 'changed' })).mustBe(200);
		const again = await keyed(client, 'k', { url: URL });
		expect(again.mustBe(201)).toEqual(first);
		expect(again.headers['idempotent-replayed']).toBe('true');
		(await client.delete(`/v1/webhooks/${first.id}`)).mustBe(200);
		expect((await keyed(client, 'k', { url: URL })).mustBe(201)).toEqual(first);
		expect((await list(client)).webhooks).toEqual([]);
	});

	test('When another request has the key, then 422', async () => {
		const client = newAccount();
		(await keyed(client, 'k', { url: URL })).mustBe(201);
		const error = 'this Idempotency-Key was used for another request';
		expectError(await keyed(client, 'k', { url: `${URL}/other` }), 422, error);
	});

	test('When 20 come at once under one key and one place is left, then one is made and all get its answer', async () => {
		const client = newAccount();
		for (let number = 0; number < 24; number++) await create(client, { url: `${URL}/${number}` });
		const answers = await Promise.all(Array.from({ length: 20 }, () => keyed(client, 'k', { url: URL })));
		for (const answer of answers) expect([201, 409]).toContain(answer.status);
		const texts = answers.filter((answer) => answer.status === 201).map((answer) => answer.text);
		expect(new Set(texts).size).toBe(1);
		expect((await list(client)).pagination.total_items).toBe(25);
	});
});

describe('Reading', () => {
	test('When webhooks are listed or read, then by id, a page at a time, and never with their secret (W6)', async () => {
		const client = newAccount();
		const made = [await create(client), await create(client), await create(client)];
		const shown = made.map(({ secret: _, ...webhook }) => webhook);
		expect((await list(client)).webhooks).toEqual(shown);
		expect(await list(client, { page: 2, page_size: 2 })).toEqual({
			webhooks: [shown[2]],
			pagination: { page: 2, page_size: 2, total_items: 3, total_pages: 2, current_page: 2, total_count: 3 },
		});
		expect((await list(client, { page: 9 })).webhooks).toEqual([]);
		const answer = await client.get(`/v1/webhooks/${made[1]!.id}`);
		expect(answer.mustBe(200)).toEqual(shown[1]);
		expect(answer.headers.etag).toBe('"1"');
	});
});

describe('PATCH and DELETE', () => {
	test('When fields are sent, then those change, and the version grows by one', async () => {
		const client = newAccount();
		const { secret: _, ...before } = await create(client);
		const changes = { url: `${URL}/new`, events: ['booking.deleted'], description: null, enabled: false };
		const answer = await client.patch<Webhook>(`/v1/webhooks/${before.id}`, changes);
		const after = answer.mustBe(200);
		const stamped = { updated_at: after.updated_at, disabled_at: after.updated_at, disabled_reason: 'requested' };
		expect(after).toEqual({ ...before, ...changes, ...stamped, version: 2 });
		expect(answer.headers.etag).toBe('"2"');
		const enabled = (await client.patch<Webhook>(`/v1/webhooks/${before.id}`, { enabled: true })).mustBe(200);
		expect(enabled).toMatchObject({ enabled: true, disabled_at: null, disabled_reason: null, version: 3 });
	});

	test('When nothing changes, then version and updated_at stay', async () => {
		const client = newAccount();
		const { secret: _, ...before } = await create(client, { events: ['booking.created'] });
		const answer = await client.patch(`/v1/webhooks/${before.id}`, before);
		expect(answer.mustBe(200)).toEqual(before);
	});

	test('When the new URL is none, then 400, and nothing changes', async () => {
		const client = newAccount();
		const { id } = await create(client);
		expectRefusal(await client.patch(`/v1/webhooks/${id}`, { url: 'nowhere', description: 'x' }), 400, 'url');
		expect((await client.get<Webhook>(`/v1/webhooks/${id}`)).mustBe(200).description).toBeNull();
	});

	test('V2: When 30 PATCHes name one version, then one passes; without a version all do', async () => {
		const client = newAccount();
		const { id } = await create(client);
		const patch = (number: number, headers = {}) =>
			client.patch(`/v1/webhooks/${id}`, { description: `${number}` }, { headers });
		const guarded = await Promise.all(Array.from({ length: 30 }, (_, n) => patch(n, { 'if-match': '"1"' })));
		expect(guarded.filter((answer) => answer.status === 200)).toHaveLength(1);
		expect(guarded.filter((answer) => answer.status === 412)).toHaveLength(29);
		const free = await Promise.all(Array.from({ length: 30 }, (_, n) => patch(100 + n)));
		expect(free.filter(({ status }) => status !== 200)).toEqual([]);
		expect((await client.get<Webhook>(`/v1/webhooks/${id}`)).mustBe(200).version).toBe(32);
	});

	test('When the body names another version, then 409', async () => {
		const client = newAccount();
		const { id } = await create(client);
		expectError(await client.patch(`/v1/webhooks/${id}`, { version: 7, enabled: false }), 409, 'version conflict');
	});

	test('When one is deleted, then it is gone', async () => {
		const client = newAccount();
		const { id } = await create(client);
		const stale = await client.delete(`/v1/webhooks/${id}`, { headers: { 'if-match': '"2"' } });
		expectError(stale, 412, 'version conflict');
		expect((await client.delete(`/v1/webhooks/${id}`)).mustBe(200)).toBe('ok');
		for (const [method, path] of [
			['GET', ''],
			['PATCH', ''],
			['DELETE', ''],
			['POST', '/rotate-secret'],
		] as const) {
			const body = method === 'PATCH' ? {} : undefined;
			expectError(await client.request(method, `/v1/webhooks/${id}${path}`, { body }), 404, 'webhook not found');
		}
		expect((await list(client)).webhooks).toEqual([]);
	});
});

describe('POST /v1/webhooks/{id}/rotate-secret', () => {
	test('When the secret is rotated, then the answer has a new one and the version grows', async () => {
		const client = newAccount();
		const before = await create(client);
		const answer = await client.post<WebhookWithSecret>(`/v1/webhooks/${before.id}/rotate-secret`);
		const after = answer.mustBe(200);
		expect(after).toEqual({ ...before, secret: after.secret, version: 2, updated_at: after.updated_at });
		expect(after.secret).not.toBe(before.secret);
		expect(answer.headers.etag).toBe('"2"');
	});
});
