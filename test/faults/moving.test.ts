import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SERVICE_NAMES } from '../../shared/config/config.ts';
import type { Delivery, DeliveryList } from '../../shared/contract/schemas/delivery.ts';
import type { BookingEvent } from '../../shared/contract/schemas/event.ts';
import type { Webhook, WebhookWithSecret } from '../../shared/contract/schemas/webhook.ts';
import { auditWith, measuredOps, opsWith } from '../ops/ops.ts';
import { dateOn } from '../support/calendar.ts';
import { everyGet } from '../support/every-get.ts';
import { eventsOf } from '../support/feed.ts';
import { fillProduct } from '../support/fill-product.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { ProductProcess } from '../support/product-process.ts';
import { newCustomer, type Place, slotOn, tryToBook } from '../support/scheduling.ts';
import { whyNoCluster } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { idOf, WebhookReceiver } from '../support/webhook-receiver.ts';

/** Bookings that are made before each move */
const BOOKINGS = Number(process.env.MOVED_BOOKINGS ?? 150);
/** Bookings that there are before: of a store that moves to a cluster and back, and of one that moves into another file */
const FILLED = Number(process.env.MOVED_TO_CLUSTER ?? 1_200);
const FILLED_ALONE = Number(process.env.MOVED_TO_FILE ?? 2_500);
/** MB that a command may have in memory, however large the store is */
const MEMORY = 300;
const HOURS = 6 * 3_600_000;
const LOOPS = 6;

const inCluster = whyNoCluster() === undefined ? test : test.skip;

let directory: string;
let receiver: WebhookReceiver;
const products: Product[] = [];
const processes: ProductProcess[] = [];
beforeAll(async () => {
	directory = mkdtempSync(join(tmpdir(), 'slotwise-moving-'));
	receiver = await WebhookReceiver.start();
	receiver.reply = ({ path }) => ({ status: path === '/fails' ? 500 : 204 });
});
afterAll(async () => {
	await Promise.all(processes.map((process) => process.stop()));
	for (const product of products) await product.stop();
	await receiver.stop();
	rmSync(directory, { recursive: true, force: true });
});

/** Runs an export or an import, says what it cost, and looks that its memory was bounded. */
async function move(env: Record<string, string>, words: string[]): Promise<void> {
	const { memory, took, ...ended } = await measuredOps(env, directory, [...words, '--json'], HOURS);
	expect(ended).toMatchObject({ code: 0, stderr: '' });
	const { counts } = JSON.parse(ended.stdout) as { counts: Record<string, number> };
	const documents = Object.values(counts).reduce((sum, count) => sum + count, 0);
	const what = `${words[0]} of ${counts.bookings} bookings, ${documents} documents`;
	const rate = Math.round(documents / (took / 1_000));
	process.stdout.write(`${what}: ${Math.round(took / 1_000)} s, ${rate} a second, ${Math.round(memory)} MB\n`);
	expect(memory).toBeLessThan(MEMORY);
}

/** What a client knows: answers to its creations, by their keys; a refused one is null. */
type Told = Map<string, string | null>;

/** Books, each creation under a key of its own, until the store is closed. */
async function bookUntilClosed(client: Client, place: Place, told: Told): Promise<void> {
	const loop = async () => {
		for (;;) {
			const customer = newCustomer();
			const key = customer.customer_email;
			const answer = await tryToBook(client, place, customer, { headers: { 'Idempotency-Key': key } });
			if (answer.status !== 503) answer.mustBe(201);
			told.set(key, answer.status === 201 ? answer.text : null);
			if (answer.status === 503) return;
		}
	};
	await Promise.all(Array.from({ length: LOOPS }, loop));
}

/** Books under load, exports closed, and reads what there is then. */
async function exportUnderLoad(env: Record<string, string>, client: Client, place: Place, told: Told, file: string) {
	const before = told.size;
	const traffic = bookUntilClosed(client, place, told);
	await until(() => told.size >= before + BOOKINGS);
	await move(env, ['export', file, '--close']);
	await traffic;
	const dates = { from: dateOn(1), to: dateOn(1) };
	const seen = await everyGet(client, dates);
	const sent = receiver.received.length;
	return { dates, seen, feed: await eventsOf(client, FILLED), failed: await deliveriesOf(client, '/fails'), sent };
}

/** What a target must answer: all that the source did, and its feed, to which goes on what was on its way. */
async function expectAll(
	client: Client,
	source: Awaited<ReturnType<typeof exportUnderLoad>>,
	told: Told,
): Promise<void> {
	const there = await everyGet(client, source.dates);
	const lasting = (answers: Map<string, string>) =>
		[...answers].filter(([path]) => isOfFilled(path) || !/^\/v1\/(events|webhooks)/.test(path));
	expect(lasting(there)).toEqual(lasting(source.seen));
	const acknowledged = [...told].filter(([, answer]) => answer !== null);
	await until(async () => (await eventsOf(client, FILLED)).length >= acknowledged.length);
	const feed = await eventsOf(client, FILLED);
	expect(feed.slice(0, source.feed.length)).toEqual(source.feed);
	expect(feed.map(({ sequence }) => sequence)).toEqual(feed.map((_, at) => FILLED + at + 1));
	expect(feed.length).toBe(acknowledged.length);
	const keys = new Set(feed.map(({ data }) => data.customer.email));
	expect(keys).toEqual(new Set(acknowledged.map(([key]) => key)));
	for (const [key, answer] of acknowledged.slice(0, 50)) {
		const { time_slot_id, date, customer } = (JSON.parse(answer!) as { data: BookingEvent['data'] }).data;
		const body = { time_slot_id, date, customer_name: customer.name, customer_email: key };
		const again = await client.post('/v1/bookings', body, { headers: { 'Idempotency-Key': key } });
		expect([again.status, again.text]).toEqual([201, answer]);
	}
}

/** Whether it asks for a page of the feed that is full, of the bookings that were there before. */
function isOfFilled(path: string): boolean {
	const after = /^\/v1\/events\?after=(\d+)/.exec(path)?.[1];
	return after !== undefined && Number(after) + 100 <= FILLED;
}

/** Every delivery of the webhook to a path. */
async function deliveriesOf(client: Client, path: string): Promise<Delivery[]> {
	const { webhooks } = (await client.get<{ webhooks: Webhook[] }>('/v1/webhooks')).mustBe(200);
	const { id } = webhooks.find(({ url }) => url.endsWith(path))!;
	const all: Delivery[] = [];
	for (let page = 1; ; page++) {
		const query = { page, page_size: 1_000 };
		const { deliveries } = (await client.get<DeliveryList>(`/v1/webhooks/${id}/deliveries`, { query })).mustBe(200);
		all.push(...deliveries);
		if (deliveries.length < 1_000) return all;
	}
}

inCluster(
	'D2: When a file moves to a cluster and back under load, with a webhook that fails, then nothing is lost and nothing told twice',
	async () => {
		const told: Told = new Map();
		const product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 } });
		products.push(product);
		const key = product.keys.Unlimited[0];
		const client = new Client(product.urls, key);
		await fillProduct(product, client, FILLED);
		const place = await slotOn(client, { max_bookings: 10_000 });
		for (const path of ['/works', '/fails']) {
			const { secret } = (await client.post<WebhookWithSecret>('/v1/webhooks', { url: receiver.url(path) })).mustBe(
				201,
			);
			receiver.judge(path, secret);
		}
		const first = join(directory, 'first.gz');
		const source = await exportUnderLoad(product.operatorEnv, client, place, told, first);
		await product.processes[0]!.stop();
		await delay(2_000);
		expect(receiver.received.length).toBe(source.sent); // closed, it sent nothing any more

		const cluster = await startProduct({ form: 'cluster', whole: 0 });
		products.push(cluster);
		const into = ['import', first, '--secret-key-file', join(product.directory, 'data', 'secret.key')];
		await move(cluster.operatorEnv, into);
		await Promise.all([...SERVICE_NAMES, 'booking' as const].map((service) => cluster.add(service)));
		const there = new Client(cluster.urls, key);
		await expectAll(there, source, told);
		expect(await auditWith(cluster.operatorEnv, directory)).toMatchObject({ code: 0, findings_count: 0 });
		expect(await opsWith(cluster.operatorEnv, directory, into)).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('still run: stop every process first'),
		});
		expect(await opsWith(cluster.operatorEnv, directory, ['export', join(directory, 'open.gz')])).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('export --close'),
		});

		const second = join(directory, 'second.gz');
		const back = await exportUnderLoad(cluster.operatorEnv, there, place, told, second);
		await Promise.all(cluster.processes.map((process) => process.stop()));
		await delay(2_000);
		expect(receiver.received.length).toBe(back.sent);

		const keyFile = join(directory, 'cluster.key');
		writeFileSync(keyFile, cluster.operatorEnv.SECRET_KEY!, { mode: 0o600 });
		const env = { DATA_DIR: join(directory, 'back'), ADMIN_PORT: '0', LOG_FORMAT: 'json', WEBHOOK_ALLOW_PRIVATE: '1' };
		await move(env, ['import', second, '--secret-key-file', keyFile]);
		const last = await ProductProcess.start('back', SERVICE_NAMES, env, directory);
		processes.push(last);
		await last.ready();
		const home = new Client(() => [last.url!], key);
		await expectAll(home, back, told);
		expect(await auditWith(env, directory)).toMatchObject({ code: 0, findings_count: 0 });

		const feed = await eventsOf(home, FILLED);
		const ids = feed.map(({ id }) => id).sort();
		await until(() => receiver.of('/works').length >= ids.length, { timeout: 120_000 });
		expect(receiver.of('/works').map(idOf).sort()).toEqual(ids); // each once, over all three
		await until(async () => (await deliveriesOf(home, '/fails')).length === ids.length, { timeout: 120_000 });
		const retried = await deliveriesOf(home, '/fails');
		expect(retried.map(({ event_id }) => event_id).sort()).toEqual(ids);
		const attempts = new Map(retried.map((delivery) => [delivery.id, delivery.attempts]));
		for (const { id, attempts: made } of source.failed) expect(attempts.get(id)!.slice(0, made.length)).toEqual(made);
		expect(receiver.received.filter(({ verified }) => verified !== true)).toEqual([]);
	},
	FILLED > 10_000 ? HOURS : undefined,
);

test(
	'D2: When a large store moves into another file, then every GET answers the same, and a command has less than 300 MB in memory',
	async () => {
		const product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 } });
		products.push(product);
		const client = new Client(product.urls, product.keys.Unlimited[0]);
		await fillProduct(product, client, FILLED_ALONE);
		const dates = { from: dateOn(1), to: dateOn(1) };
		const file = join(directory, 'large.gz');
		await move(product.operatorEnv, ['export', file, '--close']);
		const seen = await everyGet(client, dates);
		await product.processes[0]!.stop();

		const env = { DATA_DIR: join(directory, 'large'), ADMIN_PORT: '0', LOG_FORMAT: 'json' };
		await move(env, ['import', file]);
		const target = await ProductProcess.start('large', SERVICE_NAMES, env, directory);
		processes.push(target);
		await target.ready();
		const there = await everyGet(new Client(() => [target.url!], client.key), dates);
		expect([...there]).toEqual([...seen]);
		expect(await auditWith(env, directory)).toMatchObject({ code: 0, findings_count: 0 });
	},
	FILLED_ALONE > 10_000 ? HOURS : undefined,
);
