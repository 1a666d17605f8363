import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EventReport, WebhookReport } from '../../shared/contract/reports.ts';
import type { Delivery, DeliveryList } from '../../shared/contract/schemas/delivery.ts';
import type { Webhook, WebhookWithSecret } from '../../shared/contract/schemas/webhook.ts';
import { eventsUpTo } from '../support/feed.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { book, newCustomer, slotOn } from '../support/scheduling.ts';
import { until } from '../support/until.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { followed, ops } from './ops.ts';

let product: Product;
let receiver: WebhookReceiver;
let client: Client;
let account: string;
let webhook: WebhookWithSecret;
const run = (line: string) => ops(join(product.directory, 'data'), ...line.split(' '));
const ask = async <T>(line: string) => JSON.parse((await run(`${line} --json`)).stdout) as T;

beforeAll(async () => {
	receiver = await WebhookReceiver.start();
	receiver.reply = () => ({ status: 410 });
	product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 } });
	client = new Client(product.urls, product.keys.Unlimited[0]);
	const place = await slotOn(client, { max_bookings: 3 });
	account = place.service.provider_id;
	webhook = (await client.post<WebhookWithSecret>('/v1/webhooks', { url: receiver.url() })).mustBe(201);
	await book(client, place, newCustomer());
	await eventsUpTo(client, 1);
	await until(async () => !(await client.get<Webhook>(`/v1/webhooks/${webhook.id}`)).mustBe(200).enabled);
});
afterAll(async () => {
	await product?.stop();
	await receiver.stop();
});

const deliveries = async () =>
	(await client.get<DeliveryList>(`/v1/webhooks/${webhook.id}/deliveries`)).mustBe(200).deliveries;

test('When an endpoint is gone, then `webhooks list` says so, and `webhooks deliveries` what it answered', async () => {
	await until(async () => (await deliveries())[0]?.status === 'failed');
	const [report] = await ask<WebhookReport[]>(`webhooks list ${account}`);
	expect(report).toMatchObject({ id: webhook.id, enabled: false, disabled_reason: 'gone', waiting: 0, failed: 1 });
	const listed = await run(`webhooks list ${account}`);
	expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('disabled: gone')]);
	expect(listed.stdout).not.toContain('whsec_');
	const { stdout } = await run(`webhooks deliveries ${webhook.id}`);
	const rows = stdout.split('\n').map((line) => line.trim().split(/\s{2,}/));
	expect(rows).toContainEqual(['1', 'evt_1_1', 'booking.created', 'failed', '1', '410']);
});

test('When an operator enables the webhook and redelivers, then it arrives', async () => {
	const disabled = await run('webhooks redeliver 1');
	expect(disabled).toEqual({ code: 2, stdout: '', stderr: 'It cannot be done: webhook is disabled.\n' });
	receiver.reply = () => ({ status: 204 });
	expect((await ask<Webhook>(`webhooks enable ${webhook.id}`)).enabled).toBe(true);
	expect(await ask<Delivery>('webhooks redeliver 1')).toMatchObject({ id: 1, status: 'pending' });
	await until(async () => (await deliveries())[0]!.status === 'delivered');
	expect(receiver.received).toHaveLength(2);
});

test('When a webhook or a delivery is not there, then one sentence says so', async () => {
	for (const line of ['webhooks deliveries 77', 'webhooks enable 77']) {
		expect(await run(line)).toEqual({ code: 2, stdout: '', stderr: 'There is no webhook 77.\n' });
	}
	expect(await run('webhooks redeliver 77')).toEqual({ code: 2, stdout: '', stderr: 'There is no delivery 77.\n' });
	expect(await run('webhooks list acc_none')).toEqual({
		code: 2,
		stdout: '',
		stderr: 'There is no account acc_none.\n',
	});
});

test('When events are tailed, then the last ones are there, and nobody’s name is', async () => {
	const [event] = await ask<EventReport[]>(`events tail ${account}`);
	expect(event).toMatchObject({ sequence: 1, id: 'evt_1_1', type: 'booking.created', booking_id: 1 });
	const { stdout } = await run(`events tail ${account} --limit 1`);
	expect(stdout).toContain('evt_1_1');
	expect(stdout).not.toContain('Customer');
	expect((await run(`events tail ${account} --limit 51`)).code).toBe(2);
});

test.each([
	['', /^\s*(\d+) {2}\S+Z {2}booking\.created/],
	['--json', /^\{"sequence":(\d+),.*\}$/],
])('When events are followed %s, then those to come are printed as they come, each once', async (json, row) => {
	const place = await slotOn(client, { max_bookings: 3 });
	const sequences: number[] = [];
	const follower = followed(join(product.directory, 'data'), `events tail ${account} --limit 1 --follow ${json}`);
	follower.onLine((line) => {
		const [, sequence] = row.exec(line) ?? [];
		if (sequence !== undefined) sequences.push(Number(sequence));
	});
	await until(() => sequences.length > 0);
	const [last] = sequences as [number];
	for (let made = 1; made <= 3; made++) {
		await book(client, place, newCustomer());
		await until(() => sequences.length > made);
	}
	await product.processes[0]!.stop();
	expect([await follower.exited, sequences]).toEqual([1, [last, last + 1, last + 2, last + 3]]);
	expect(follower.tail()).toContain('No process is running');
	await product.processes[0]!.restart();
	await product.processes[0]!.ready();
});

test('When the state is asked for, then it tells what waits for webhooks', async () => {
	const { webhooks } = await ask<{ webhooks: unknown }>('status');
	expect(webhooks).toEqual({ waiting: 0, oldest: 0, failing: [] });
	expect((await run('status')).stdout).toContain('0 webhook attempts waiting, the oldest due for 0 ms');
});
