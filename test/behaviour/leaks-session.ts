import { expect } from '@jest/globals';
import type { KeyReport } from '../../shared/contract/account-reports.ts';
import type { WebhookWithSecret } from '../../shared/contract/schemas/webhook.ts';
import { createApiKey } from '../../shared/secrets/api-key.ts';
import { addressOfFeed, createFeedToken } from '../../shared/secrets/feed-token.ts';
import { Client } from '../support/http-client.ts';
import { leave, Operator, runHere } from '../support/operator.ts';
import type { Product } from '../support/product.ts';
import { bookingBody, getBooking, newFeed, slotOn } from '../support/scheduling.ts';
import { until } from '../support/until.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

/** What a session handed to the product, by what may become of it. */
export interface Secrets {
	/** Raw API keys, good, rolled, revoked and refused ones: nowhere, ever */
	keys: string[];
	/** Secrets of webhooks: nowhere in clear */
	webhookSecrets: string[];
	/** Tokens of calendar feeds, good, deleted and unknown ones: in no store, no log and no trace */
	feedTokens: string[];
	/** Personal data, and what clients put into paths: in no log, and not in Redis */
	personal: string[];
	/** An address that a booking was kept with: the proof that a dump of the store shows what is in it */
	kept: string;
	/** A request id of the session: the proof that the logs are those of the session */
	requestId: string;
}

const PERSON = {
	customer_name: 'Zebulon Quartermaine',
	customer_email: 'zebulon.quartermaine@leak.example',
	customer_phone: '+4915735991234',
	message: 'Allergic to cinnabar',
};
const OTHER = { customer_name: 'Ottoline Vandersloot', customer_email: 'ottoline@leak.example' };
const WORDS = {
	provider: 'Philippa Wetherby-Snape',
	providerEmail: 'philippa@leak.example',
	reason: 'Broken clavicle',
	moved: 'xanthe@leak.example',
	path: 'hook-token-7f3c9e',
	idempotencyKey: 'order-of-zebulon-1',
};
const PERSONAL = [...Object.values(PERSON), ...Object.values(OTHER), ...Object.values(WORDS)];

/** Whatever leaves traces: makes, rolls and revokes keys, books, is refused, fails, has webhooks delivered and failing. */
export async function runSession(product: Product): Promise<Secrets> {
	const { operatorEnv, directory } = product;
	const operator = new Operator(operatorEnv, directory, () => product.urls(), runHere(operatorEnv));
	const bootstrap = product.keys.Unlimited[0]!;
	const account = await operator.ask<{ id: string }>(
		...['accounts', 'create', '--name', WORDS.provider, '--email', WORDS.providerEmail, '--package', 'Unlimited'],
	);
	const made = await operator.createKey(account.id);
	const reader = await operator.createKey(account.id, '--scopes', 'read');
	const rolled = await operator.ask<{ api_key: string }>('keys', 'roll', reader.key.id);
	const doomed = await operator.createKey(account.id);
	await operator.ask<KeyReport>('keys', 'revoke', doomed.apiKey); // by the key itself, as after a leak
	const wrong = `${bootstrap.slice(0, -1)}${bootstrap.endsWith('0') ? '1' : '0'}`;
	const keys = [bootstrap, made.apiKey, reader.apiKey, rolled.api_key, doomed.apiKey, createApiKey(), wrong];

	const client = new Client(() => product.urls(), bootstrap);
	for (const key of keys) await client.withKey(key).get(`/v1/services?key=${key}`, { headers: { 'x-api-key': key } });
	await reader.client.post('/v1/services', { name: 'x', timezone: 'UTC' });

	const receiver = await WebhookReceiver.start();
	receiver.reply = ({ path }) => ({ status: path.includes('failing') ? 500 : 204 });
	try {
		const webhookSecrets = await withWebhooks(client, receiver, async () => {
			await book(client);
			await refuse(client);
		});
		const feedTokens = await readFeeds(client, new Client(() => product.urls()));
		const requestId = 'a-request-of-the-session';
		await client.get('/v1/bookings/1', { headers: { 'x-request-id': requestId } });
		return { keys, webhookSecrets, feedTokens, personal: PERSONAL, kept: WORDS.moved, requestId };
	} finally {
		await receiver.stop();
		await leave();
	}
}

async function withWebhooks(client: Client, receiver: WebhookReceiver, run: () => Promise<void>): Promise<string[]> {
	const paths = [`/${WORDS.path}`, `/failing/${WORDS.path}`];
	const create = (path: string) => client.post<WebhookWithSecret>('/v1/webhooks', { url: receiver.url(path) });
	const webhooks = [];
	for (const path of paths) webhooks.push((await create(path)).mustBe(201));
	await run();
	for (const path of paths) await until(() => receiver.of(path).length > 0, { what: `a delivery to ${path}` });
	const rotate = `/v1/webhooks/${webhooks[0]!.id}/rotate-secret`;
	const rotated = (await client.post<WebhookWithSecret>(rotate)).mustBe(200);
	await client.post('/v1/webhooks', { url: `https://user:${WORDS.path}@localhost/` });
	return [...webhooks, rotated].map(({ secret }) => secret);
}

/** Bookings that are made, changed and kept. */
async function book(client: Client): Promise<void> {
	const place = await slotOn(client, { max_bookings: 3 });
	const headers = { 'idempotency-key': WORDS.idempotencyKey };
	const create = (changes: object) => client.post<{ id: number }>('/v1/bookings', bookingBody(place, { ...changes }));
	const first = await client.post<{ id: number }>('/v1/bookings', bookingBody(place, PERSON), { headers });
	const { id } = first.mustBe(201);
	(await create(OTHER)).mustBe(201);
	(await create(PERSON)).mustBe(400); // a duplicate
	(await create({})).mustBe(201);
	(await create({ customer_email: 'late@leak.example' })).mustBe(400); // full
	(await client.patch(`/v1/bookings/${id}`, { status: 'cancelled', cancel_reason: WORDS.reason })).mustBe(200);
	(await client.patch(`/v1/bookings/${id}/customer`, { email: WORDS.moved })).mustBe(200);
	const query = { service_id: place.service.id, page: 1, page_size: 10, customer_email: WORDS.moved };
	(await client.get('/v1/bookings', { query })).mustBe(200);
	const { version } = (await getBooking(client, id)) as { version: number };
	(await client.patch(`/v1/bookings/${id}`, { message: PERSON.message, version: version + 7 })).mustBe(409);
}

/** Feeds that are read, refused, read too often and deleted. */
async function readFeeds(client: Client, anybody: Client): Promise<string[]> {
	const { service } = await slotOn(client);
	const [one, other] = [await newFeed(client, service.id, true), await newFeed(client, service.id)];
	const unknown = createFeedToken();
	const addresses = [one.address, one.address, other.address, addressOfFeed(unknown), `${other.address}.gz`];
	const statuses = [];
	for (const address of addresses) statuses.push((await anybody.get(address)).status);
	expect(statuses).toEqual([200, 429, 200, 404, 404]);
	(await client.get(`${other.address}?again=${other.address}`)).mustBe(429);
	(await client.post(other.address, {})).mustBe(405);
	(await client.delete(`/v1/services/${service.id}/calendar-feeds/${other.id}`)).mustBe(200);
	(await client.get(other.address)).mustBe(404);
	return [...[one, other].map(({ address }) => address.slice('/calendar/'.length, -'.ics'.length)), unknown];
}

/** Requests that carry personal data where none belongs. */
async function refuse(client: Client): Promise<void> {
	const { customer_email, customer_name } = PERSON;
	const raw = `{"date":"x","customer_email":"${customer_email}"`;
	const headers = { 'content-type': 'application/json' };
	(await client.post('/v1/bookings', undefined, { raw, headers })).mustBe(400);
	(await client.post('/v1/bookings', { [customer_name]: 1, $where: customer_email })).mustBe(400);
	(await client.post('/v1/bookings', { customer_email: `${customer_email}@`, customer_phone: [customer_name] })).mustBe(
		400,
	);
	(await client.get(`/v1/${customer_email}`)).mustBe(404);
	(await client.get('/v1/services', { query: { [customer_email]: customer_name } })).mustBe(400);
	(await client.request('DELETE', `/v1/bookings/${customer_email}`)).mustBe(400);
}
