import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { expectOutcomes } from '../proof/outcomes.ts';
import { askAdmin } from '../support/ask-admin.ts';
import { bound } from '../support/bound.ts';
import { expectError } from '../support/expectations.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { slotOn, tryToBook } from '../support/scheduling.ts';
import { whyNoCluster } from '../support/servers.ts';
import { until } from '../support/until.ts';

const missing = whyNoCluster();
const suite = missing === undefined ? describe : describe.skip;

suite(`A10: a backend that is away${missing ? ` (skipped: ${missing})` : ''}`, () => {
	let product: Product;
	let client: Client;
	let place: Awaited<ReturnType<typeof slotOn>>;

	beforeAll(async () => {
		product = await startProduct({ form: 'cluster' });
		client = new Client(() => product.urls(), product.keys.Unlimited[0]);
		place = await slotOn(client, { max_bookings: 100 });
	});
	afterEach(() => expectOutcomes(client));
	afterAll(() => product?.stop());

	const ready = async () => (await askAdmin(`${product.of('gateway')[0]!.adminUrl}/readyz`)).status;

	test('A10: When booking was ended, then 503 with Retry-After, the gateway is not ready, and both mend by themselves', async () => {
		const [booking] = product.of('booking');
		booking!.kill('SIGTERM');
		await booking!.exited;
		const answer = await until(async () => {
			const tried = await tryToBook(client, place);
			return tried.status === 503 && tried;
		});
		expectError(answer, 503, 'service unavailable');
		expect(answer.headers['retry-after']).toBe('1');
		await until(async () => (await ready()) === 503);
		await booking!.restart();
		await booking!.ready();
		await until(async () => (await tryToBook(client, place)).status === 201);
		await until(async () => (await ready()) === 200);
	});

	test('A10: When booking stands still, then 504 within 10 s, and it is served again when it goes on', async () => {
		const [booking] = product.of('booking');
		booking!.kill('SIGSTOP');
		try {
			const began = performance.now();
			const answer = await tryToBook(client, place);
			expectError(answer, 504, 'gateway timeout');
			expect(answer.headers['retry-after']).toBeUndefined();
			expect(performance.now() - began).toBeLessThan(bound(10_000, 20_000));
		} finally {
			booking!.kill('SIGCONT');
		}
		await until(async () => (await tryToBook(client, place)).status === 201);
	});

	test.each(['customer', 'notifications'] as const)(
		'When %s is killed, then bookings go on and the gateway stays ready',
		async (service) => {
			const [one] = product.of(service);
			one!.kill('SIGKILL');
			await one!.exited;
			expect((await tryToBook(client, place)).status).toBe(201);
			expect(await ready()).toBe(200);
			await one!.restart();
			await one!.ready();
		},
	);
});
