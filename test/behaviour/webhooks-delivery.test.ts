import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Delivery, DeliveryList } from '../../shared/contract/schemas/delivery.ts';
import type { Webhook, WebhookWithSecret } from '../../shared/contract/schemas/webhook.ts';
import { expectError, expectRefusal, TIMESTAMP } from '../support/expectations.ts';
import { eventsUpTo } from '../support/feed.ts';
import type { Client } from '../support/http-client.ts';
import { book, newCustomer, type Place, slotOn } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';
import { until } from '../support/until.ts';
import { idOf, verifies, WebhookReceiver } from '../support/webhook-receiver.ts';

let receiver: WebhookReceiver;
beforeAll(async () => {
	receiver = await WebhookReceiver.start();
	receiver.reply = ({ path }) => ({ status: Number(/\d{3}$/.exec(path)?.[0] ?? 204) });
});
afterAll(() => receiver.stop());

let paths = 0;

/** A webhook with a path of its own, which ends in the status that the receiver answers there. */
async function createWebhook(client: Client, status = 204, changes: object = {}) {
	const path = `/${process.pid}-${++paths}/${status}`;
	const body = { url: receiver.url(path), ...changes };
	const webhook = (await client.post<WebhookWithSecret>('/v1/webhooks', body)).mustBe(201);
	return { ...webhook, path };
}

async function deliveriesOf(client: Client, id: number, query = {}): Promise<Delivery[]> {
	return (await client.get<DeliveryList>(`/v1/webhooks/${id}/deliveries`, { query })).mustBe(200).deliveries;
}

/** The webhook's deliveries, as soon as they are as they should be. */
function settled(client: Client, id: number, test: (deliveries: Delivery[]) => boolean): Promise<Delivery[]> {
	return until(async () => {
		const deliveries = await deliveriesOf(client, id, { page_size: 1000 });
		return deliveries.length > 0 && test(deliveries) && deliveries;
	});
}

const delivered = (count: number) => (deliveries: Delivery[]) =>
	deliveries.length === count && deliveries.every(({ status }) => status === 'delivered');

/** Books and changes once in every way. */
async function everyChange(client: Client, place: Place): Promise<void> {
	const { id } = await book(client, place, { ...newCustomer(), message: 'Grüße 🎹' });
	for (const body of [{ status: 'confirmed' }, { message: null }, { status: 'cancelled', cancel_reason: 'Ill' }]) {
		(await client.patch(`/v1/bookings/${id}`, body)).mustBe(200);
	}
	(await client.delete(`/v1/bookings/${id}`)).mustBe(200);
}

describe('Deliveries (contract §8)', () => {
	test('W2: When bookings change in every way, then each event arrives as the feed has it, and standardwebhooks verifies it', async () => {
		const client = newAccount();
		const webhook = await createWebhook(client);
		await everyChange(client, await slotOn(client));
		const events = await eventsUpTo(client, 5);
		await until(() => new Set(receiver.of(webhook.path).map(idOf)).size === 5);
		const received = receiver.of(webhook.path);
		for (const { id, type, timestamp, sequence, data, previous } of events) {
			const message = received.find((one) => idOf(one) === id)!;
			expect(message.body).toBe(JSON.stringify({ type, timestamp, sequence, data, previous }));
			expect(message.headers['content-type']).toMatch(/^application\/json/);
		}
		for (const message of received) {
			expect(verifies(message, webhook.secret)).toBe(true);
			const other = (await createWebhook(newAccount())).secret;
			expect(verifies(message, other)).toBe(false);
			expect(verifies({ ...message, body: message.body.replace('"sequence"', '"sequencE"') }, webhook.secret)).toBe(
				false,
			);
			const old = { ...message.headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) - 301) };
			expect(verifies({ ...message, headers: old }, webhook.secret)).toBe(false);
		}
	});

	test('When a webhook wants some types, then it gets those; one that is disabled gets nothing', async () => {
		const client = newAccount();
		const all = await createWebhook(client);
		const some = await createWebhook(client, 204, { events: ['booking.cancelled', 'booking.deleted'] });
		const off = await createWebhook(client, 204, { enabled: false });
		await everyChange(client, await slotOn(client));
		await settled(client, all.id, delivered(5));
		const types = (await settled(client, some.id, delivered(2))).map(({ event_type }) => event_type);
		expect(types).toEqual(['booking.cancelled', 'booking.deleted']);
		expect(await deliveriesOf(client, off.id)).toEqual([]);
		expect(receiver.of(off.path)).toEqual([]);
	});

	test('W6: When the secret is rotated, then the new one and the old one sign; no answer shows either again', async () => {
		const client = newAccount();
		const webhook = await createWebhook(client);
		const rotated = (
			await client.post<Webhook & { secret: string }>(`/v1/webhooks/${webhook.id}/rotate-secret`)
		).mustBe(200);
		await book(client, await slotOn(client));
		await settled(client, webhook.id, delivered(1));
		const [message] = receiver.of(webhook.path);
		expect((message!.headers['webhook-signature'] as string).split(' ')).toHaveLength(2);
		for (const secret of [webhook.secret, rotated.secret]) expect(verifies(message!, secret)).toBe(true);
		const shown = await Promise.all(
			['', `/${webhook.id}`, `/${webhook.id}/deliveries`].map((path) => client.get(`/v1/webhooks${path}`)),
		);
		for (const { text } of shown) expect(text).not.toContain('whsec_');
	});

	test('W3: When an endpoint answers 500, then it is tried again 5 s later with the same id, and the attempts are shown', async () => {
		const client = newAccount();
		const webhook = await createWebhook(client, 500);
		await book(client, await slotOn(client));
		const [delivery] = await settled(client, webhook.id, ([one]) => one!.attempts.length === 2);
		const attempt = { at: expect.stringMatching(TIMESTAMP), duration: expect.any(Number), status: 500, error: null };
		expect(delivery).toEqual({
			id: expect.any(Number),
			webhook_id: webhook.id,
			event_id: expect.stringMatching(/^evt_\d+_1$/),
			event_type: 'booking.created',
			sequence: 1,
			status: 'pending',
			attempts: [attempt, attempt],
			next_attempt_at: expect.stringMatching(TIMESTAMP),
			created_at: expect.stringMatching(TIMESTAMP),
		});
		const [first, second] = receiver.of(webhook.path);
		expect(idOf(second!)).toBe(idOf(first!));
		expect(second!.at - first!.at).toBeGreaterThanOrEqual(4_000); // a busy machine notes the first one late
		const shown = (await client.get<Webhook>(`/v1/webhooks/${webhook.id}`)).mustBe(200);
		expect(shown).toMatchObject({ enabled: true, failing_since: expect.stringMatching(TIMESTAMP), version: 1 });
	});

	test('W3: When an endpoint answers 410, then the webhook is disabled and says why', async () => {
		const client = newAccount();
		const webhook = await createWebhook(client, 410);
		await book(client, await slotOn(client));
		const [delivery] = await settled(client, webhook.id, ([one]) => one!.status === 'failed');
		expect(delivery).toMatchObject({ next_attempt_at: null, attempts: [{ status: 410 }] });
		const shown = (await client.get<Webhook>(`/v1/webhooks/${webhook.id}`)).mustBe(200);
		expect(shown).toMatchObject({ enabled: false, disabled_reason: 'gone', version: 2 });
		for (const path of ['/test', `/deliveries/${delivery!.id}/redeliver`]) {
			expectError(await client.post(`/v1/webhooks/${webhook.id}${path}`), 409, 'webhook is disabled');
		}
		const since = shown.created_at;
		expectError(await client.post(`/v1/webhooks/${webhook.id}/recover`, { since }), 409, 'webhook is disabled');
	});
});

describe('The list of deliveries', () => {
	test('When filters and pages are given, then it is cut accordingly, by id', async () => {
		const client = newAccount();
		const webhook = await createWebhook(client);
		await everyChange(client, await slotOn(client));
		await settled(client, webhook.id, delivered(5));
		(await client.patch(`/v1/webhooks/${webhook.id}`, { url: receiver.url('/500') })).mustBe(200);
		await book(client, await slotOn(client));
		const all = await settled(client, webhook.id, (rows) => rows.at(-1)!.attempts.length > 0 && rows.length === 6);
		expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort((a, b) => a - b));
		const of = async (query: object) => (await deliveriesOf(client, webhook.id, query)).map(({ id }) => id);
		const idsWhere = (test: (one: Delivery) => boolean) => all.filter(test).map(({ id }) => id);
		expect(await of({ status: 'delivered' })).toEqual(idsWhere(({ status }) => status === 'delivered'));
		expect(await of({ event_type: 'booking.created' })).toEqual(
			idsWhere(({ event_type }) => event_type === 'booking.created'),
		);
		const both = { status: 'pending', event_type: 'booking.created' };
		expect(await of(both)).toEqual([all[5]!.id]);
		expect(await of({ page: 2, page_size: 4 })).toEqual(all.slice(4).map(({ id }) => id));
		const page = { query: { page: 2, page_size: 4 } };
		const { pagination } = (await client.get<DeliveryList>(`/v1/webhooks/${webhook.id}/deliveries`, page)).mustBe(200);
		expect(pagination).toMatchObject({ page: 2, page_size: 4, total_items: 6, total_pages: 2 });
		for (const [name, value] of [
			['status', 'lost'],
			['event_type', 'x'],
			['page_size', '0'],
			['color', 'red'],
		] as const) {
			const query = { [name]: value };
			expectRefusal(await client.get(`/v1/webhooks/${webhook.id}/deliveries`, { query }), 400, name);
		}
	});
});

describe('Sending again', () => {
	test('When a delivery is asked for again, then it is sent with the same id, and both attempts are there', async () => {
		const client = newAccount();
		const webhook = await createWebhook(client);
		await book(client, await slotOn(client));
		const [first] = await settled(client, webhook.id, delivered(1));
		const path = `/v1/webhooks/${webhook.id}/deliveries/${first!.id}/redeliver`;
		const queued = (await client.post<Delivery>(path)).mustBe(202);
		expect(queued).toMatchObject({
			id: first!.id,
			status: 'pending',
			next_attempt_at: expect.stringMatching(TIMESTAMP),
		});
		await settled(client, webhook.id, ([one]) => one!.status === 'delivered' && one!.attempts.length === 2);
		expect(receiver.of(webhook.path).map(idOf)).toEqual([first!.event_id, first!.event_id]);
		expectError(
			await client.post(path.replace(/\d+\/redeliver/, '9007199254740991/redeliver')),
			404,
			'delivery not found',
		);
	});

	test('When a test is asked for, then a signed webhook.test without a sequence arrives, and the feed has no event', async () => {
		const client = newAccount();
		const webhook = await createWebhook(client);
		const queued = (await client.post<Delivery>(`/v1/webhooks/${webhook.id}/test`)).mustBe(202);
		expect(queued).toMatchObject({ event_type: 'webhook.test', sequence: null, status: 'pending' });
		await settled(client, webhook.id, delivered(1));
		const [message] = receiver.of(webhook.path);
		expect(JSON.parse(message!.body)).toEqual({
			type: 'webhook.test',
			timestamp: expect.stringMatching(TIMESTAMP),
			data: { webhook_id: webhook.id },
		});
		expect([idOf(message!), verifies(message!, webhook.secret)]).toEqual([queued.event_id, true]);
		expect((await client.get<{ events: unknown[] }>('/v1/events')).mustBe(200).events).toEqual([]);
	});

	test('When failures are recovered since a time, then they are sent again', async () => {
		const client = newAccount();
		const webhook = await createWebhook(client, 410);
		await book(client, await slotOn(client));
		await settled(client, webhook.id, ([one]) => one!.status === 'failed');
		const changes = { enabled: true, url: receiver.url(`${webhook.path}/204`) };
		(await client.patch(`/v1/webhooks/${webhook.id}`, changes)).mustBe(200);
		const recover = (since: string) => client.post(`/v1/webhooks/${webhook.id}/recover`, { since });
		expect((await recover(webhook.created_at)).mustBe(202)).toBe('ok');
		const [delivery] = await settled(client, webhook.id, delivered(1));
		expect(delivery!.attempts.map(({ status }) => status)).toEqual([410, 204]);
		for (const since of ['yesterday', '2026-02-30T00:00:00Z', '2026-11-21', '2026-11-21T09:30:00']) {
			expectRefusal(await recover(since), 400, 'since');
		}
	});
});
