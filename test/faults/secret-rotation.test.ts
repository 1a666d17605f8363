import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { WebhookWithSecret } from '../../shared/contract/schemas/webhook.ts';
import { opsWith } from '../ops/ops.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { newCustomer, slotOn, tryToBook } from '../support/scheduling.ts';
import { whyNoCluster } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const [old, next] = [randomBytes(32), randomBytes(32)].map((key) => key.toString('base64'));
const WEBHOOKS = 4;

const inCluster = whyNoCluster() === undefined ? test : test.skip;

let directory: string;
let keyFile: string;
let receiver: WebhookReceiver;
let product: Product | undefined;
beforeAll(async () => {
	directory = mkdtempSync(join(tmpdir(), 'slotwise-rotation-'));
	keyFile = join(directory, 'secret-key');
	receiver = await WebhookReceiver.start();
});
afterAll(async () => {
	await product?.stop();
	await receiver.stop();
	rmSync(directory, { recursive: true });
});

inCluster(
	'D4: When SECRET_KEY is rotated in a cluster that sends webhooks, then each delivery is signed',
	async () => {
		writeFileSync(keyFile, old!);
		const cluster = await startProduct({
			form: 'cluster',
			keys: { Unlimited: 1 },
			counts: { notifications: 2 },
			env: { SECRET_KEY_FILE: keyFile },
		});
		product = cluster;
		const client = new Client(cluster.urls, cluster.keys.Unlimited[0]);
		const place = await slotOn(client, { max_bookings: 10_000 });
		const secrets: string[] = [];
		for (let number = 0; number < WEBHOOKS; number++) {
			const path = `/${number}`;
			const { secret } = (await client.post<WebhookWithSecret>('/v1/webhooks', { url: receiver.url(path) })).mustBe(
				201,
			);
			receiver.judge(path, secret);
			secrets.push(secret);
		}
		let isOver = false;
		let booked = 0;
		const traffic = (async () => {
			for (; !isOver; booked++) {
				(await tryToBook(client, place, newCustomer())).mustBe(201);
				await delay(100);
			}
		})();

		/** One process after the other, as a rollout does. */
		const rollOut = async (value: string) => {
			writeFileSync(keyFile, value);
			for (const one of cluster.of('notifications')) {
				await one.stop();
				await one.restart();
				await one.ready();
			}
		};
		const rewrap = () => opsWith(cluster.operatorEnv, cluster.directory, ['secrets', 'rewrap', '--json']);

		await rollOut(`${old},${next}`);
		writeFileSync(keyFile, `${next},${old}`);
		const [first, second] = cluster.of('notifications');
		await first!.stop();
		await first!.restart();
		await first!.ready();
		expect(await rewrap()).toMatchObject({ code: 2, stderr: expect.stringContaining('finish the rollout first') });
		await second!.stop();
		await second!.restart();
		await second!.ready();
		const rewrapped = await rewrap();
		expect(JSON.parse(rewrapped.stdout)).toEqual({ webhooks: WEBHOOKS, sealed: WEBHOOKS, closed: [] });
		await rollOut(next!);
		const before = receiver.received.length;
		await until(() => receiver.received.length > before + WEBHOOKS);
		isOver = true;
		await traffic;

		const told = (path: string) =>
			new Set(receiver.received.filter((one) => one.path === path).map(({ headers }) => headers['webhook-id']));
		for (let number = 0; number < WEBHOOKS; number++) await until(() => told(`/${number}`).size === booked);
		expect(receiver.received.filter(({ verified }) => verified !== true)).toEqual([]);
	},
	600_000,
);
