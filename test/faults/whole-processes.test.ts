import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectOutcomes } from '../proof/outcomes.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { activeBookings, newCustomer, slotOn, tryToBook } from '../support/scheduling.ts';
import { whyNoCluster } from '../support/servers.ts';
import { until } from '../support/until.ts';

const SEATS = 40;
const CLAIMS = 120;
const missing = whyNoCluster();
const suite = missing === undefined ? describe : describe.skip;

/** The layout of `k8s/overlays/compact`: what a process asks of another service, it asks of itself. */
suite(`A cluster of whole processes${missing ? ` (skipped: ${missing})` : ''}`, () => {
	let product: Product;
	let client: Client;

	beforeAll(async () => {
		product = await startProduct({ form: 'cluster', whole: 2, keys: { Unlimited: 1 } });
		client = new Client(() => product.urls(), product.keys.Unlimited[0]);
	});
	afterAll(async () => {
		await product?.stop();
	});

	/** Asks every process in turn. */
	async function claim(place: Awaited<ReturnType<typeof slotOn>>): Promise<number[]> {
		const claims = Array.from({ length: CLAIMS }, () =>
			tryToBook(client, place, newCustomer()).then(
				({ status }) => status,
				() => 0,
			),
		);
		return Promise.all(claims);
	}

	test('When more claim a slot than it has places, through both, then each place is taken once', async () => {
		const place = await slotOn(client, { max_bookings: SEATS });
		const statuses = await claim(place);
		expect(statuses.filter((status) => status === 201)).toHaveLength(SEATS);
		expect(await activeBookings(client, place.service.id)).toHaveLength(SEATS);
		await expectOutcomes(client);
	});

	test('T2: When one of them is killed meanwhile, then the other one serves, and nothing that was told is lost', async () => {
		const place = await slotOn(client, { max_bookings: CLAIMS });
		const [first, second] = product.processes as [Product['processes'][0], Product['processes'][0]];
		const claims = claim(place);
		first.kill('SIGKILL');
		await claims;
		product.processes = [second];
		const served = async () => (await tryToBook(client, place, newCustomer())).status === 201;
		await until(served, { what: 'the other process to serve' });
		await expectOutcomes(client);
	});
});
