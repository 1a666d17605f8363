import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Document, MongoClient } from 'mongodb';
import { operations } from '../../services/gateway/operations/index.ts';
import { SERVICE_NAMES, type ServiceName } from '../../shared/config/config.ts';
import type { Webhook } from '../../shared/contract/schemas/webhook.ts';
import { whyNoProof } from '../proof/cluster.ts';
import { expectOutcomes } from '../proof/outcomes.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import type { ProductProcess } from '../support/product-process.ts';
import { activeBookings, book, newCustomer, newFeed, serviceBody, slotInput } from '../support/scheduling.ts';
import { until } from '../support/until.ts';
import { settleWorld, type World } from '../support/world.ts';

/** Times that each kind of process is frozen; nightly 10 */
const FREEZES = Number(process.env.FREEZES ?? 1);
/** Of each operation at once: some reach the process that is frozen, some the other one */
const AT_ONCE = 4;
/** ms that a client waits, as the contract has it */
const CLIENT_WAITS = 10_000;
/** ms that the embedded process is stopped */
const STOPPED = 12_000;
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
	override: number;
	feed: number;
}
const makings: Record<string, Making> = {
	createService: (_, __, value) => ({ path: '/v1/services', body: serviceBody({ name: value }) }),
	updateService: ({ ids }, _, value) => ({ path: `/v1/services/${ids.service}`, body: { description: value } }),
	deleteService: (_, { service }) => ({ path: `/v1/services/${service}` }),
	updateTimeSlots: ({ ids }, _, value) => ({
		path: '/v1/time-slots',
		body: { time_slots: [{ id: ids.slot, max_bookings: 50 + (value.length % 40) }] },
	}),
	replaceSchedule: ({ ids }, _, value) => {
		const slot = { id: ids.slot, ...slotInput({ max_bookings: 150 + (value.length % 40) }) };
		return { path: `/v1/services/${ids.service}/schedule`, body: { timezone: 'Europe/Berlin', time_slots: [slot] } };
	},
	createDateOverride: ({ ids, date }) => ({
		path: overridesOf(ids.service),
		body: { date_from: date, date_to: date, max_bookings: 10_000 },
	}),
	deleteDateOverride: ({ ids }, { override }) => ({ path: `${overridesOf(ids.service)}/${override}` }),
	createCalendarFeed: ({ ids }) => ({ path: feedsAt(ids.service), body: {} }),
	deleteCalendarFeed: ({ ids }, { feed }) => ({ path: `${feedsAt(ids.service)}/${feed}` }),
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
	// Of nobody: an erasure that was acknowledged goes on by itself, which `erasure.test.ts` shows.
	eraseCustomer: () => ({ path: '/v1/customers/erase', body: { email: 'nobody@example.com' } }),
	createWebhook: () => ({ path: '/v1/webhooks', body: { url: 'http://127.0.0.1:9/', events: ['booking.deleted'] } }),
	updateWebhook: ({ ids }, _, value) => ({ path: `/v1/webhooks/${ids.webhook}`, body: { description: value } }),
	deleteWebhook: (_, { webhook }) => ({ path: `/v1/webhooks/${webhook}` }),
	rotateWebhookSecret: ({ ids }) => ({ path: `/v1/webhooks/${ids.webhook}/rotate-secret` }),
	testWebhook: ({ ids }) => ({ path: `/v1/webhooks/${ids.webhook}/test` }),
	redeliver: ({ ids }) => ({ path: `/v1/webhooks/${ids.webhook}/deliveries/${ids.delivery}/redeliver` }),
	recoverWebhook: ({ ids }) => ({ path: `/v1/webhooks/${ids.webhook}/recover`, body: { since: new Date(0) } }),
};

function overridesOf(service: number): string {
	return `/v1/services/${service}/date-overrides`;
}

function feedsAt(service: number): string {
	return `/v1/services/${service}/calendar-feeds`;
}

/** What requests change, beside the work that goes on in the background, as it lies in the database. */
async function stateOf(store: MongoClient): Promise<{ deliveries: Document[] } & Record<string, unknown>> {
	const read = (name: string, filter: object, fields: string[]) =>
		store
			.db()
			.collection(name)
			.find(filter, { projection: Object.fromEntries(fields.map((field) => [field, 1])) })
			.sort({ _id: 1 })
			.toArray();
	return {
		// 0: no service, but a fence
		services: await read('services', { version: { $gt: 0 } }, [
			'version',
			'deleted_at',
			'overrides_version',
			'generation',
		]),
		slots: await read('time_slots', { state: 'active' }, ['revision']),
		bookings: await read('bookings', { version: { $gt: 0 } }, ['version', 'deleted_at']),
		feeds: await read('calendar_feeds', {}, ['include_customers']),
		webhooks: await read('webhooks', {}, ['version', 'deleted_at', 'secret', 'recover_until']),
		deliveries: await read('deliveries', { event_type: 'webhook.test' }, ['made']),
	};
}

/** The state once nothing changes it any more, and every test delivery was tried. */
async function settledState(store: MongoClient): Promise<unknown> {
	let before = await stateOf(store);
	return until(
		async () => {
			const [earlier, now] = [before, await stateOf(store)];
			before = now;
			return isDeepStrictEqual(earlier, now) && now.deliveries.every(({ made }) => made > 0) && now;
		},
		{ interval: 500 },
	);
}

/** A request whose client gives up after a while. */
async function ask(client: Client, method: string, { path, body }: ReturnType<Making>): Promise<void> {
	const signal = AbortSignal.timeout(CLIENT_WAITS);
	await client.request(method, path, { body, signal }).catch(() => undefined);
}

async function spareOf(client: Client, world: World): Promise<Spare> {
	const service = (
		await client.post<{ id: number }>('/v1/services', serviceBody({ time_slots: [slotInput()] }))
	).mustBe(201);
	const place = { slot: { id: world.ids.slot } as never, date: world.date };
	const booking = await book(client, place, newCustomer());
	const url = 'http://127.0.0.1:9/';
	const webhook = (await client.post<{ id: number }>('/v1/webhooks', { url, events: ['booking.deleted'] })).mustBe(201);
	const days = { date_from: world.date, date_to: world.date, max_bookings: 10_000 };
	const override = (await client.post<{ id: number }>(overridesOf(world.ids.service), days)).mustBe(201);
	const feed = await newFeed(client, world.ids.service);
	return { service: service.id, booking: booking.id, webhook: webhook.id, override: override.id, feed: feed.id };
}

suite(`X13: a freeze${missing ? ` (skipped: ${missing})` : ''}`, () => {
	let product: Product;
	let store: MongoClient;

	beforeAll(async () => {
		const counts = Object.fromEntries(SERVICE_NAMES.map((name) => [name, 2])) as Record<ServiceName, number>;
		product = await startProduct({ form: 'cluster', counts, keys: { Unlimited: 7 * FREEZES + 1 } });
		store = new MongoClient(product.mongoUrl!);
	});
	afterAll(async () => {
		await store?.close();
		await product?.stop();
	});

	test('X13: When the table has an operation that changes something, then there is a request for it here', () => {
		expect(Object.keys(makings).sort()).toEqual(mutations.map(({ id }) => id).sort());
	});

	/** Sends every mutation while something is frozen, and waits until each client has its answer or has given up. */
	async function sendAll(client: Client, world: World, spares: Spare[]): Promise<void> {
		await Promise.all(
			mutations.flatMap(({ id, method }) =>
				spares.map((spare, number) => ask(client, method, makings[id]!(world, spare, 'o'.repeat(number + 1)))),
			),
		);
	}

	test.each(SERVICE_NAMES.flatMap((name) => Array.from({ length: FREEZES }, () => name)))(
		'X13: When one of two %s processes is frozen until clients give up, then nothing of that happens afterwards',
		async (service) => {
			const [frozen] = product.of(service);
			const client = new Client(() => product.urls(), product.keys.Unlimited.pop());
			const world = await settleWorld(client);
			const spares = await Promise.all(Array.from({ length: AT_ONCE }, () => spareOf(client, world)));
			frozen!.kill('SIGSTOP');
			try {
				const asking = service === 'gateway' ? new Client([frozen!.url!], client.key) : client;
				await sendAll(asking, world, spares);
				const before = await settledState(store);
				frozen!.kill('SIGCONT');
				await delay(CARRIED_OUT_BY);
				expect(await stateOf(store)).toEqual(before);
				await expectOutcomes(client);
			} finally {
				frozen!.kill('SIGCONT');
			}
		},
	);

	test('X13: When NATS is frozen until clients give up, then nothing of that happens afterwards', async () => {
		const client = new Client(() => product.urls(), product.keys.Unlimited.pop());
		const world = await settleWorld(client);
		const spares = await Promise.all(Array.from({ length: AT_ONCE }, () => spareOf(client, world)));
		const before = await settledState(store);
		product.nats!.child.kill('SIGSTOP');
		try {
			await sendAll(client, world, spares);
		} finally {
			product.nats!.child.kill('SIGCONT');
		}
		await delay(CARRIED_OUT_BY);
		expect(await stateOf(store)).toEqual(before);
		await expectOutcomes(client);
	});
});

/** What the API shows of the account. */
async function shownTo(client: Client, world: World): Promise<unknown> {
	const { services } = (await client.get<{ services: unknown[] }>('/v1/services')).mustBe(200);
	const { webhooks } = (await client.get<{ webhooks: Webhook[] }>('/v1/webhooks')).mustBe(200);
	const bookings = await activeBookings(client, world.ids.service);
	const overrides = (await client.get(overridesOf(world.ids.service))).mustBe(200);
	const versions = webhooks.map(({ id, version }) => ({ id, version }));
	return { ...(await world.snapshot()), services, bookings, overrides, webhooks: versions };
}

/** ms for which the process runs before it is stopped again, and for which it is: it has accepted some connections by then, not all */
const [AWAKE, AGAIN] = [5, 1_500];

// Beside each other and the cluster's, for they wait nearly all of their time.
test.concurrent.each([
	{ times: 'once', stopAgain: async () => {} },
	{
		times: 'and again while it reads what lay there',
		async stopAgain(frozen: ProductProcess) {
			await delay(AWAKE);
			frozen.kill('SIGSTOP');
			await delay(AGAIN);
			frozen.kill('SIGCONT');
		},
	},
])(
	'X13: When the embedded process is frozen until clients give up, $times, then nothing of that happens afterwards',
	async ({ stopAgain }) => {
		const product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 } });
		try {
			const client = new Client(() => product.urls(), product.keys.Unlimited.pop());
			const world = await settleWorld(client);
			const spares = await Promise.all(Array.from({ length: AT_ONCE }, () => spareOf(client, world)));
			const before = await shownTo(client, world);
			product.processes[0]!.kill('SIGSTOP');
			const asked = mutations.flatMap(({ id, method }) =>
				spares.map((spare, number) => ask(client, method, makings[id]!(world, spare, 'o'.repeat(number + 1)))),
			);
			await delay(STOPPED);
			product.processes[0]!.kill('SIGCONT');
			await stopAgain(product.processes[0]!);
			await Promise.all(asked);
			await delay(CARRIED_OUT_BY);
			expect(await until(() => shownTo(client, world), { what: 'answers' })).toEqual(before);
			await expectOutcomes(client);
		} finally {
			product.processes[0]!.kill('SIGCONT');
			await product.stop();
		}
	},
);
