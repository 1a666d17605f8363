import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SERVICE_NAMES, type ServiceName } from '../../shared/config/config.ts';
import { expectOutcomes } from '../proof/outcomes.ts';
import { bound } from '../support/bound.ts';
import { plusDays } from '../support/calendar.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import type { ProductProcess } from '../support/product-process.ts';
import { bookingBody, newCustomer, slotOn } from '../support/scheduling.ts';
import { whyNoCluster } from '../support/servers.ts';
import { until } from '../support/until.ts';

const EXIT_WITHIN = bound(15_000, 60_000); // ms (promise T5)
const CLIENTS = 8;
const missing = whyNoCluster();
const suite = missing === undefined ? describe : describe.skip;

type Booked = Awaited<ReturnType<typeof slotOn>>;

/** Reads and creates, one after another a client, until it is stopped. */
class Load {
	readonly answers = new Map<string, number>();
	/** Requests that got no answer at all */
	readonly broken: string[] = [];
	#on = true;
	readonly #ended: Promise<unknown>;

	constructor(clients: Client[], place: Booked) {
		this.#ended = Promise.all(clients.map((client, number) => this.#run(client, number, place)));
	}

	get total(): number {
		return [...this.answers.values()].reduce((sum, count) => sum + count, 0);
	}

	async stop(): Promise<void> {
		this.#on = false;
		await this.#ended;
	}

	async #run(client: Client, number: number, place: Booked): Promise<void> {
		for (let n = number; this.#on; n += CLIENTS) {
			const date = plusDays(place.date, 7 * (n % 500));
			const body = bookingBody({ ...place, date }, newCustomer());
			const send = n % 2 ? client.get(`/v1/services/${place.service.id}`) : client.post('/v1/bookings', body);
			const outcome = await send.then(
				({ status }) => String(status),
				(error: NodeJS.ErrnoException) => {
					this.broken.push(error.code ?? error.message);
					return undefined;
				},
			);
			if (outcome !== undefined) this.answers.set(outcome, (this.answers.get(outcome) ?? 0) + 1);
		}
	}
}

suite(`T5: a graceful stop${missing ? ` (skipped: ${missing})` : ''}`, () => {
	let product: Product;
	let place: Booked;
	const clientOf = (urls: () => string[]) => new Client(urls, product.keys.Unlimited[0]);

	beforeAll(async () => {
		const counts = Object.fromEntries(SERVICE_NAMES.map((name) => [name, 2])) as Record<ServiceName, number>;
		product = await startProduct({ form: 'cluster', counts });
		place = await slotOn(
			clientOf(() => product.urls()),
			{ max_bookings: 10_000 },
		);
	});
	afterAll(async () => {
		if (place) await expectOutcomes(clientOf(() => [product.of('gateway')[1]!.url!])); // the first one has ended
		await product?.stop();
	});

	/** @returns its exit code and how long it took, in ms */
	async function terminate(one: ProductProcess): Promise<{ code: number | NodeJS.Signals; took: number }> {
		const began = performance.now();
		one.kill('SIGTERM');
		const code = await one.exited;
		return { code, took: performance.now() - began };
	}

	test.each(SERVICE_NAMES.filter((name) => name !== 'gateway'))(
		'T5: When one of two %s processes is ended under load, then no request fails',
		async (service) => {
			const clients = Array.from({ length: CLIENTS }, () => clientOf(() => product.urls()));
			const load = new Load(clients, place);
			await until(() => load.total > 2 * CLIENTS);
			const [one] = product.of(service);
			const { code, took } = await terminate(one!);
			const after = load.total;
			await until(() => load.total > after + 4 * CLIENTS);
			await load.stop();
			expect([code, load.broken]).toEqual([0, []]);
			expect([...load.answers.keys()].sort()).toEqual(['200', '201']);
			expect(took).toBeLessThan(EXIT_WITHIN);
			await one!.restart();
			await one!.ready();
		},
	);

	test('T5: When a gateway is ended under load, then every request that it took is answered', async () => {
		const [one] = product.of('gateway');
		const url = one!.url!;
		const load = new Load(
			Array.from({ length: CLIENTS }, () => clientOf(() => [url])),
			place,
		);
		await until(() => load.total > 4 * CLIENTS);
		const { code, took } = await terminate(one!);
		await load.stop();
		expect(code).toBe(0);
		expect(took).toBeLessThan(EXIT_WITHIN);
		expect([...load.answers.keys()].sort()).toEqual(['200', '201']);
		// What came after it had stopped listening: refused, or reset on a connection that it had just closed.
		expect(load.broken.filter((code) => !['ECONNREFUSED', 'ECONNRESET'].includes(code))).toEqual([]);
	});
});
