import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SERVICE_NAMES, type ServiceName } from '../../shared/config/config.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { bound } from '../support/bound.ts';
import { plusDays } from '../support/calendar.ts';
import { eventsOf } from '../support/feed.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { bookingBody, newCustomer, slotOn } from '../support/scheduling.ts';
import { whyNoCluster } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { LoadBalancer } from './load-balancer.ts';

const EXIT_WITHIN = bound(15_000, 60_000); // ms (promise T5)
const PACE = 40; // ms between two requests: 25 a second, answered or not
const MOST = 10; // under way at once: a machine that does much else is asked less often
const BETWEEN = 20; // requests answered between a restart and the next
const missing = whyNoCluster();
const suite = missing === undefined ? describe : describe.skip;

type Place = Awaited<ReturnType<typeof slotOn>>;

/** Books, confirms and reads at a steady pace, as far as the machine bears it, until it is stopped. */
class SteadyLoad {
	readonly answers = new Map<string, number>();
	/** What was not answered with a success */
	readonly failed: string[] = [];
	readonly booked: number[] = [];
	slowest = { ms: 0, what: '' };
	#sent = 0;
	#confirmed = 0;
	readonly #running = new Set<Promise<void>>();
	readonly #timer: NodeJS.Timeout;

	constructor(balancer: LoadBalancer, key: string, place: Place) {
		this.#timer = setInterval(() => {
			if (this.#running.size >= MOST) return;
			const request = this.#send(balancer, key, place, this.#sent++).finally(() => this.#running.delete(request));
			this.#running.add(request);
		}, PACE);
	}

	get answered(): number {
		return [...this.answers.values()].reduce((sum, count) => sum + count, 0);
	}

	async stop(): Promise<void> {
		clearInterval(this.#timer);
		await Promise.all(this.#running);
	}

	async #send(balancer: LoadBalancer, key: string, place: Place, n: number): Promise<void> {
		const { method, path, body } = this.#pick(place, n);
		const began = performance.now();
		try {
			const { status, text } = await balancer.request<Booking>(key, method, path, { body });
			this.answers.set(`${method} ${status}`, (this.answers.get(`${method} ${status}`) ?? 0) + 1);
			if (status === 201) this.booked.push((JSON.parse(text) as { data: Booking }).data.id);
			else if (status !== 200) this.failed.push(`${method} ${path}: ${status} ${text}`);
		} catch (error) {
			this.failed.push(`${method} ${path}: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`);
		}
		const ms = Math.round(performance.now() - began);
		if (ms > this.slowest.ms) this.slowest = { ms, what: `${method} ${path}` };
	}

	#pick(place: Place, n: number): { method: string; path: string; body?: unknown } {
		const known = this.booked.at(-1);
		const date = plusDays(place.date, 7 * (n % 500));
		const choices = [
			{ method: 'POST', path: '/v1/bookings', body: bookingBody({ ...place, date }, newCustomer()) },
			{ method: 'GET', path: `/v1/services/${place.service.id}` },
			{ method: 'GET', path: '/v1/events?limit=10' },
			known === undefined ? undefined : { method: 'GET', path: `/v1/bookings/${known}` },
		];
		if (n % 5 < choices.length) return choices[n % 5] ?? choices[1]!;
		if (this.#confirmed === this.booked.length) return choices[1]!;
		return { method: 'PATCH', path: `/v1/bookings/${this.booked[this.#confirmed++]}`, body: { status: 'confirmed' } };
	}
}

suite(`T5: a rolling restart${missing ? ` (skipped: ${missing})` : ''}`, () => {
	let product: Product;
	let balancer: LoadBalancer;

	beforeAll(async () => {
		const counts = Object.fromEntries(SERVICE_NAMES.map((name) => [name, 2])) as Record<ServiceName, number>;
		product = await startProduct({ form: 'cluster', counts });
		balancer = new LoadBalancer(product.of('gateway'));
	});
	afterAll(async () => {
		balancer?.close();
		await product?.stop();
	});

	test('T5: When both processes of every service are restarted in turn under steady load, then no request fails and every booking has its event', async () => {
		const key = product.keys.Unlimited[0]!;
		const http = new Client(() => product.urls(), key);
		const place = await slotOn(http, { max_bookings: 10_000 });
		const load = new SteadyLoad(balancer, key, place);
		const drains: { name: string; code: number | NodeJS.Signals; ms: number }[] = [];
		for (const one of SERVICE_NAMES.flatMap((service) => product.of(service))) {
			const before = load.answered;
			await until(() => load.answered > before + BETWEEN, { what: 'answers before a restart' });
			const began = performance.now();
			one.kill('SIGTERM');
			const code = await one.exited;
			drains.push({ name: one.name, code, ms: Math.round(performance.now() - began) });
			await one.restart();
			await one.ready();
		}
		await load.stop();

		const told = drains.map(({ name, ms }) => `${name} ${ms} ms`).join(', ');
		const answers = [...load.answers].map(([what, count]) => `${count} × ${what}`).join(', ');
		process.stdout.write(
			`drained: ${told}\n${answers}; failed: ${load.failed.length}; refused and sent to the other gateway: ` +
				`${balancer.refused}; slowest: ${load.slowest.what}, ${load.slowest.ms} ms\n`,
		);
		expect(load.failed).toEqual([]);
		expect(drains.filter(({ code, ms }) => code !== 0 || ms > EXIT_WITHIN)).toEqual([]);
		expect(load.booked.length).toBeGreaterThan(drains.length * (BETWEEN / 5));
		const created = await until(
			async () => {
				const events = (await eventsOf(http)).filter(({ type }) => type === 'booking.created');
				return events.length >= load.booked.length && events;
			},
			{ what: 'an event for each booking' },
		);
		expect(created.map(({ data }) => data.id).sort((a, b) => a - b)).toEqual(load.booked.sort((a, b) => a - b));
	});
});
