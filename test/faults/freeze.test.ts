import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { operations } from '../../services/gateway/operations/index.ts';
import { SERVICE_NAMES, type ServiceName } from '../../shared/config/config.ts';
import { whyNoProof } from '../proof/cluster.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { book, newCustomer, serviceBody, slotInput } from '../support/scheduling.ts';
import { until } from '../support/until.ts';
import { settleWorld, type World } from '../support/world.ts';

/** Times that each kind of process is frozen; nightly 10 */
const FREEZES = Number(process.env.FREEZES ?? 1);
/** Of each operation at once: some reach the process that is frozen, some the other one */
const AT_ONCE = 4;
/** ms that a client waits, as the contract has it */
const CLIENT_WAITS = 10_000;
/** ms after the thaw in which whatever lay in a socket is carried out, if it is at all */
const CARRIED_OUT_BY = 2_000;

const missing = whyNoProof();
const suite = missing === undefined ? describe : describe.skip;
const mutations = operations.filter(({ method }) => method !== 'GET');

/** What a request of each operation says; `value` tells one from the other. `spare`: things that nobody else needs. */
type Making = (world: World, spare: Spare, value: string) => { path: string; body?: unknown };
interface Spare {
	service: number;
	booking: number;
	webhook: number;
}
const makings: Record<string, Making> = {
	createService: (_, __, value) => ({ path: '/v1/services', body: serviceBody({ name: value }) }),
	updateService: ({ ids }, _, value) => ({ path: `/v1/services/${ids.service}`, body: { description: value } }),
	deleteService: (_, { service }) => ({ path: `/v1/services/${service}` }),
	updateTimeSlots: ({ ids }, _, value) => ({
		path: '/v1/time-slots',
		body: { time_slots: [{ id: ids.slot, max_bookings: 50 + (value.length % 40) }] },
	}),
	createBooking: ({ ids, date }, _, value) => ({
		path: '/v1/bookings',
		body: { date, time_slot_id: ids.slot, message: value },
	}),
	updateBooking: ({ ids }, _, value) => ({ path: `/v1/bookings/${ids.booking}`, body: { message: value } }),
	deleteBooking: (_, { booking }) => ({ path: `/v1/bookings/${booking}` }),
	updateBookingCustomer: ({ ids }, _, value) => ({
		path: `/v1/bookings/${ids.booking}/customer`,
		body: { name: value },
	}),
	createWebhook: () => ({ path: '/v1/webhooks', body: { url: 'http://127.0.0.1:9/', events: ['booking.deleted'] } }),
	updateWebhook: ({ ids }, _, value) => ({ path: `/v1/webhooks/${ids.webhook}`, body: { description: value } }),
	deleteWebhook: (_, { webhook }) => ({ path: `/v1/webhooks/${webhook}` }),
	rotateWebhookSecret: ({ ids }) => ({ path: `/v1/webhooks/${ids.webhook}/rotate-secret` }),
	testWebhook: ({ ids }) => ({ path: `/v1/webhooks/${ids.webhook}/test` }),
	redeliver: ({ ids }) => ({ path: `/v1/webhooks/${ids.webhook}/deliveries/${ids.delivery}/redeliver` }),
	recoverWebhook: ({ ids }) => ({ path: `/v1/webhooks/${ids.webhook}/recover`, body: { since: new Date(0) } }),
};

/** Everything of an account that its requests change, as it is shown. */
async function stateOf(client: Client): Promise<unknown> {
	const [services, slots, bookings, webhooks] = await Promise.all(
		['/v1/services', '/v1/time-slots', '/v1/bookings', '/v1/webhooks'].map(async (path) =>
			(await client.get<unknown[]>(path, { query: { page_size: 100 } })).mustBe(200),
		),
	);
	const shown = (webhooks as { webhooks?: { id: number; failing_since: unknown }[] }).webhooks ?? webhooks;
	const kept = (shown as { id: number; failing_since: unknown }[]).map(({ failing_since: _, ...rest }) => rest);
	const deliveries = await Promise.all(
		kept.map(async ({ id }) => (await client.get(`/v1/webhooks/${id}/deliveries`)).mustBe(200)),
	);
	const counts = deliveries.map((list) => (list as { pagination: { total_items: number } }).pagination.total_items);
	return { services, slots, bookings, webhooks: kept, deliveries: counts };
}

/** A request whose client gives up after a while; its status, 0 where there was none. */
async function ask(url: string, key: string, method: string, { path, body }: ReturnType<Making>): Promise<number> {
	const json = body === undefined ? {} : { body: JSON.stringify(body) };
	const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
	const signal = AbortSignal.timeout(CLIENT_WAITS);
	const answer = await fetch(new URL(path, url), { method, headers, signal, ...json }).catch(() => undefined);
	await answer?.arrayBuffer().catch(() => undefined);
	return answer?.status ?? 0;
}

async function spareOf(client: Client, world: World): Promise<Spare> {
	const service = (
		await client.post<{ id: number }>('/v1/services', serviceBody({ time_slots: [slotInput()] }))
	).mustBe(201);
	const place = { slot: { id: world.ids.slot } as never, date: world.date };
	const booking = await book(client, place, newCustomer());
	const url = 'http://127.0.0.1:9/';
	const webhook = (await client.post<{ id: number }>('/v1/webhooks', { url, events: ['booking.deleted'] })).mustBe(201);
	return { service: service.id, booking: booking.id, webhook: webhook.id };
}

suite(`X13: a freeze${missing ? ` (skipped: ${missing})` : ''}`, () => {
	let product: Product;

	beforeAll(async () => {
		const counts = Object.fromEntries(SERVICE_NAMES.map((name) => [name, 2])) as Record<ServiceName, number>;
		product = await startProduct({ form: 'cluster', counts, keys: { Unlimited: 30 } });
	}, 180_000);
	afterAll(() => product?.stop(), 60_000);

	test('X13: When the table has an operation that changes something, then there is a request for it here', () => {
		expect(Object.keys(makings).sort()).toEqual(mutations.map(({ id }) => id).sort());
	});

	/**
	 * Sends every mutation while something is frozen, and waits until each client has its answer or has given up.
	 * @returns the answers by status
	 */
	async function sendAll(key: string, world: World, spares: Spare[], url: () => string): Promise<Map<number, number>> {
		const statuses = new Map<number, number>();
		const requests = mutations.flatMap(({ id, method }) =>
			Array.from({ length: AT_ONCE }, async (_, number) => {
				const status = await ask(url(), key, method, makings[id]!(world, spares[number]!, 'o'.repeat(number + 1)));
				statuses.set(status, (statuses.get(status) ?? 0) + 1);
			}),
		);
		await Promise.all(requests);
		return statuses;
	}

	/** Newer changes than all that were sent, each tried until it is acknowledged. */
	async function acknowledge(client: Client, world: World): Promise<void> {
		const fields = mutations.filter(({ method }) => method === 'PATCH');
		for (const { id } of fields) {
			const { path, body } = makings[id]!(world, {} as Spare, 'the newest');
			await until(async () => (await ask(client.url, client.key!, 'PATCH', { path, body })) === 200, {
				timeout: 120_000,
			});
		}
	}

	test.each(SERVICE_NAMES.flatMap((name) => Array.from({ length: FREEZES }, () => name)))(
		'X13: When one of two %s processes is frozen for as long as clients wait, then nothing that they gave up happens',
		async (service) => {
			const key = product.keys.Unlimited.pop()!;
			const [frozen] = product.of(service);
			const gateways = () => product.urls().filter((url) => service !== 'gateway' || url !== frozen!.url);
			const client = new Client(gateways, key);
			const world = await settleWorld(client);
			const spares = await Promise.all(Array.from({ length: AT_ONCE }, () => spareOf(client, world)));
			frozen!.kill('SIGSTOP');
			try {
				await sendAll(key, world, spares, service === 'gateway' ? () => frozen!.url! : () => client.url);
				await acknowledge(client, world);
				const before = await until(() => stateOf(client), { timeout: 120_000 });
				frozen!.kill('SIGCONT');
				await delay(CARRIED_OUT_BY);
				expect(await until(() => stateOf(client), { timeout: 60_000 })).toEqual(before);
			} finally {
				frozen!.kill('SIGCONT');
			}
		},
		240_000,
	);

	test('X13: When NATS is frozen for as long as clients wait, then nothing that they gave up happens', async () => {
		const key = product.keys.Unlimited.pop()!;
		const client = new Client(() => product.urls(), key);
		const world = await settleWorld(client);
		const spares = await Promise.all(Array.from({ length: AT_ONCE }, () => spareOf(client, world)));
		const before = await stateOf(client);
		product.nats!.child.kill('SIGSTOP');
		try {
			const statuses = await sendAll(key, world, spares, () => client.url);
			expect([...statuses.keys()].filter((status) => status !== 0 && status < 500)).toEqual([]);
		} finally {
			product.nats!.child.kill('SIGCONT');
		}
		await delay(CARRIED_OUT_BY);
		expect(await until(() => stateOf(client), { timeout: 60_000 })).toEqual(before);
	}, 240_000);
});
