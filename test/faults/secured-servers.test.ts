import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { opsWith } from '../ops/ops.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { ProductProcess } from '../support/product-process.ts';
import { book, newCustomer, slotOn, tryToBook } from '../support/scheduling.ts';
import { isInstalled } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { PASSWORD, type SecuredServers, startSecured } from './secured-servers.ts';

const WARNING = 'servers without TLS and without a password';

(isInstalled('openssl') ? describe : describe.skip)('A cluster whose servers want TLS and a password', () => {
	let servers: SecuredServers;
	let product: Product;

	beforeAll(async () => {
		const env: Record<string, string> = {};
		product = await startProduct({
			form: 'cluster',
			keys: { Unlimited: 1 },
			whole: 1,
			env,
			through: async ({ mongo }) => {
				servers = await startSecured(mongo);
				env.NODE_EXTRA_CA_CERTS = servers.ca; // before any process is started
				return servers.urls;
			},
		});
	});
	afterAll(async () => {
		await product?.stop();
		await servers?.stop();
	});

	const variables = (urls = servers.urls) => ({
		...{ ...product.operatorEnv, NATS_URL: urls.nats, REDIS_URL: urls.redis, MONGO_URL: urls.mongo },
		NODE_EXTRA_CA_CERTS: servers.ca,
	});

	/** A process of booking that is not to become ready. */
	async function startBooking(more: Record<string, string>): Promise<{ process: ProductProcess; log(): string }> {
		const name = `booking-${randomBytes(3).toString('hex')}`;
		const env = { ...variables(), ADMIN_PORT: '0', LOG_FORMAT: 'json', SERVICES: 'booking', ...more };
		const process = await ProductProcess.start(name, ['booking'], env, product.directory);
		return { process, log: () => readFileSync(process.logFile, 'utf8') };
	}

	test('When NODE_EXTRA_CA_CERTS names their CA, then it serves, with lock and limits, and warns of nothing', async () => {
		const client = new Client(product.urls(), product.keys.Unlimited[0]!);
		const place = await slotOn(client, { max_bookings: 1 });
		await book(client, place, newCustomer());
		expect((await tryToBook(client, place, newCustomer())).status).toBe(400);
		const status = await opsWith(variables(), product.directory, ['status']);
		expect([status.code, status.stderr, status.stdout.includes('Redis is away')]).toEqual([0, '', false]);
		const logs = product.processes.map(({ logFile }) => readFileSync(logFile, 'utf8')).join('');
		expect(logs).not.toContain(WARNING);
		expect(logs).not.toContain(PASSWORD);
	});

	test.each([
		['no CA is named', () => ({ NODE_EXTRA_CA_CERTS: '' }), 'unable to verify the first certificate'],
		[
			'NATS has another password',
			() => ({ NATS_URL: servers.urls.nats.replace(PASSWORD, 'x') }),
			'Authorization Violation',
		],
		[
			'NATS_URL asks for TLS, and NATS has none',
			() => ({ NATS_URL: product.nats!.url.replace('nats:', 'tls:') }),
			'"detail":"tls"',
		],
		['Redis has another password', () => ({ REDIS_URL: servers.urls.redis.replace(PASSWORD, 'x') }), 'Redis is away'],
		[
			'Redis has another name',
			() => ({ REDIS_URL: servers.urls.redis.replace('localhost', '127.0.0.1') }),
			'Redis is away',
		],
	])('When %s, then the log says why', async (_, more, reason) => {
		const { process, log } = await startBooking(more());
		try {
			await until(() => log().includes(reason), { what: `"${reason}" in its log` });
			expect(log()).not.toContain(PASSWORD);
		} finally {
			await process.stop();
		}
	});

	test('When a URL has neither, then each process says so once', async () => {
		const { process, log } = await startBooking({ NATS_URL: product.nats!.url, REDIS_URL: product.redis!.url });
		try {
			await process.ready();
			const lines = log()
				.split('\n')
				.filter((line) => line.includes(WARNING));
			expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, open: ['NATS_URL', 'REDIS_URL'] }]);
		} finally {
			await process.stop();
		}
	});

	test('When SECRET_KEY is all zeros, then it ends with 78 and one sentence', async () => {
		const { process, log } = await startBooking({ SECRET_KEY: Buffer.alloc(32).toString('base64') });
		expect(await process.exited).toBe(78);
		expect(log()).toMatch(/^SECRET_KEY is all zeros.*\.\n$/);
	});
});
