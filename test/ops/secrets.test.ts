import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { WebhookWithSecret } from '../../shared/contract/schemas/webhook.ts';
import { isWellFormedApiKey } from '../../shared/secrets/api-key.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { book, newCustomer, type Place, slotOn } from '../support/scheduling.ts';
import { until } from '../support/until.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { ops, opsWith } from './ops.ts';

const newKey = () => randomBytes(32).toString('base64');
const [old, next, third] = [newKey(), newKey(), newKey()];

let directory: string;
let receiver: WebhookReceiver;
beforeAll(async () => {
	directory = mkdtempSync(join(tmpdir(), 'slotwise-secrets-'));
	receiver = await WebhookReceiver.start();
});
afterAll(async () => {
	await receiver.stop();
	rmSync(directory, { recursive: true });
});

/** Stops the process and starts it again, with what its files hold now. */
async function restart({ processes: [process] }: Product): Promise<void> {
	await process!.stop();
	await process!.restart();
	await process!.ready();
}

describe('D4: SECRET_KEY is replaced, as docs/operations.md says', () => {
	const keyFile = () => join(directory, 'secret-key');
	let product: Product;
	let client: Client;
	let place: Place;
	let webhook: WebhookWithSecret;
	const create = () =>
		client.post<WebhookWithSecret>(
			'/v1/webhooks',
			{ url: receiver.url('/d4') },
			{ headers: { 'Idempotency-Key': 'd4' } },
		);
	const rewrap = async () => {
		const { code, stdout } = await ops(join(product.directory, 'data'), 'secrets', 'rewrap', '--json');
		return { code, ...(JSON.parse(stdout) as object) };
	};
	const deliveryIsVerified = async () => {
		const before = receiver.received.length;
		await book(client, place, newCustomer());
		await until(() => receiver.received.length > before);
		expect(receiver.received.at(-1)!.verified).toBe(true);
	};

	beforeAll(async () => {
		writeFileSync(keyFile(), old);
		product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 }, env: { SECRET_KEY_FILE: keyFile() } });
		client = new Client(product.urls, product.keys.Unlimited[0]);
		place = await slotOn(client, { max_bookings: 10 });
		webhook = (await create()).mustBe(201);
		receiver.judge('/d4', webhook.secret);
	});
	afterAll(() => product?.stop());

	test('When a new key comes before the old one, then what the old one sealed still signs', async () => {
		await deliveryIsVerified();
		writeFileSync(keyFile(), `${next},${old}`);
		await restart(product);
		await deliveryIsVerified();
	});

	test('When all is sealed anew, then the old key may go, and nothing was lost', async () => {
		expect(await rewrap()).toEqual({ code: 0, webhooks: 1, sealed: 1, closed: [] });
		expect(await rewrap()).toEqual({ code: 0, webhooks: 1, sealed: 0, closed: [] });
		writeFileSync(keyFile(), next);
		await restart(product);
		await deliveryIsVerified();
		expect((await create()).mustBe(201)).toEqual(webhook); // its first answer was sealed, too
	});

	test('When neither key opens a secret, then the command says whose it is, and ends with 1', async () => {
		writeFileSync(keyFile(), `${third},${old}`);
		await restart(product);
		expect(await rewrap()).toEqual({ code: 1, webhooks: 1, sealed: 0, closed: [webhook.id] });
		const { stdout } = await ops(join(product.directory, 'data'), 'secrets', 'rewrap');
		expect(stdout).toContain(`Neither key opens those of ${webhook.id}: their secrets have to be rotated.`);
	});
});

test('D4: When secret.key is lost though there are webhooks, then the start says so, and makes no new one', async () => {
	const product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 } });
	try {
		const [process] = product.processes;
		const file = join(product.directory, 'data', 'secret.key');
		const lose = async () => {
			await process!.stop();
			rmSync(file);
			await process!.restart();
		};
		await lose();
		await process!.ready(); // nothing was sealed with it: another one does as well
		const client = new Client(product.urls, product.keys.Unlimited[0]);
		(await client.post('/v1/webhooks', { url: receiver.url('/lost') })).mustBe(201);
		await lose();
		expect(await process!.exited).toBe(1);
		await until(() => process!.tail().includes(`${file} is gone, and the secrets of webhooks are sealed with it`));
	} finally {
		await product.stop();
	}
});

test('When a key for BOOTSTRAP_KEYS is asked for, then it is printed, and no process is needed', async () => {
	const { code, stdout, stderr } = await opsWith({ DATA_DIR: join(directory, 'nothing') }, directory, [
		'keys',
		'generate',
	]);
	expect([code, stderr]).toEqual([0, '']);
	expect(isWellFormedApiKey(stdout.trim())).toBe(true);
});
