import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { BookingEvent } from '../../shared/contract/schemas/event.ts';
import type { Webhook } from '../../shared/contract/schemas/webhook.ts';
import { bound } from '../support/bound.ts';
import { createSurely } from '../support/create-surely.ts';
import { eventsOf, eventsUpTo } from '../support/feed.ts';
import type { Answer } from '../support/http-client.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import type { ProductProcess } from '../support/product-process.ts';
import { book, slotOn } from '../support/scheduling.ts';
import { whyNoCluster } from '../support/servers.ts';
import { SETTABLE } from '../support/set-clock.ts';
import { until } from '../support/until.ts';
import { idOf, WebhookReceiver } from '../support/webhook-receiver.ts';

const missing = whyNoCluster();
const suite = missing === undefined ? describe : describe.skip;
const AN_HOUR_AHEAD = { ...SETTABLE, CLOCK_OFFSET: '3600000' };
const WEBHOOKS = 6;
const BOOKINGS = 10;
/**
 * ms until another process delivers what a dead one had: its requests that hung, 15 s, then its queues, 5 s. Beside other
 * suites on two cores it only tells that nothing waits for a clock.
 */
const WITHIN = bound(20_000, 120_000);
/** ms after an answer in which a request may be read here that had left before it */
const UNDER_WAY = bound(0, 2_000);

const faults: [string, Record<string, string>, NodeJS.Signals][] = [
	['W1: When one of two processes is killed while both deliver', {}, 'SIGKILL'],
	['X4: When one whose clock is an hour ahead is killed while both deliver', AN_HOUR_AHEAD, 'SIGKILL'],
	['X15: When one of two is frozen while both deliver, and goes on after the other', {}, 'SIGSTOP'],
];

suite(`two processes that deliver${missing ? ` (skipped: ${missing})` : ''}`, () => {
	let product: Product;
	let receiver: WebhookReceiver;
	beforeAll(async () => {
		receiver = await WebhookReceiver.start();
		product = await startProduct({ form: 'cluster', keys: { Unlimited: faults.length + 1 } });
	});
	afterAll(async () => {
		await product?.stop();
		await receiver?.stop();
	});

	/** An account with webhooks at /<name>/0 and so on. */
	async function open(name: string) {
		const client = new Client(() => product.urls(), product.keys.Unlimited.pop()!);
		const place = await slotOn(client, { max_bookings: 1_000 });
		const make = async (_: unknown, number: number) =>
			(await createSurely<Webhook>(client, '/v1/webhooks', { url: receiver.url(`/${name}/${number}`) })).id;
		const ids = await Promise.all(Array.from({ length: WEBHOOKS }, make));
		const arrived = (number: number) => new Set(receiver.of(`/${name}/${number}`).map(idOf)).size;
		return { client, place, ids, arrived };
	}

	/** Repeats a change until a process that lives has made it. */
	const insist = (change: () => Promise<Answer>, ...done: number[]) =>
		until(async () => {
			const { status } = await change();
			if (status < 500) expect(done).toContain(status);
			return status < 500;
		});

	test.each(faults)(
		'%s, then every event comes, and what is changed afterwards stays so',
		async (title, env, signal) => {
			const name = title.slice(0, title.indexOf(':'));
			const victim = await product.add('notifications', env);
			const { client, place, ids, arrived } = await open(name);
			receiver.reply = () => undefined; // attempts are under way in both when one of them is hit
			for (let count = 0; count < BOOKINGS; count++) await book(client, place);
			await until(() => ids.every((_, number) => arrived(number) > 0), { what: 'first attempts' });
			victim.kill(signal);
			receiver.reply = () => ({ status: 204 });
			const url = receiver.url(`/${name}/new`);
			await insist(() => client.patch(`/v1/webhooks/${ids[0]}`, { url, events: ['booking.deleted'] }), 200);
			await insist(() => client.delete(`/v1/webhooks/${ids[1]}`), 200, 404);
			const acknowledged = performance.now();
			const events: BookingEvent[] = await eventsUpTo(client, BOOKINGS);
			expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
			const all = (count: number) => ids.every((_, number) => number < 2 || arrived(number) === count);
			await until(() => all(BOOKINGS), { timeout: WITHIN, what: 'every event at every endpoint' });
			await awaken(victim, signal);
			await book(client, place);
			await until(() => all(BOOKINGS + 1), { timeout: WITHIN, what: 'the last event at every endpoint' });
			const late = receiver.received.filter(
				({ path, at }) => [`/${name}/0`, `/${name}/1`].includes(path) && at > acknowledged + UNDER_WAY,
			);
			expect(late).toEqual([]);
			const changed = (await client.get<Webhook>(`/v1/webhooks/${ids[0]}`)).mustBe(200);
			expect(changed).toMatchObject({ url, enabled: true });
			expect((await client.get(`/v1/webhooks/${ids[1]}`)).status).toBe(404);
			expect(await eventsOf(client)).toHaveLength(BOOKINGS + 1);
			await victim.stop();
		},
	);

	test('X4: When attempts failed at one whose clock is an hour ahead and that is killed, then the other one repeats them as scheduled', async () => {
		const victim = await product.add('notifications', AN_HOUR_AHEAD);
		const { client, place, ids, arrived } = await open('retries');
		receiver.reply = () => ({ status: 503 });
		await book(client, place);
		await until(() => ids.every((_, number) => arrived(number) > 0), { what: 'first attempts' });
		victim.kill('SIGKILL');
		await victim.exited;
		const begin = receiver.received.length;
		receiver.reply = () => ({ status: 204 });
		const again = () => new Set(receiver.received.slice(begin).map(({ path }) => path)).size;
		await until(() => again() === WEBHOOKS, { timeout: WITHIN, what: 'a second attempt at every endpoint' });
	});

	/** Goes on, where it was only frozen. */
	async function awaken(victim: ProductProcess, signal: NodeJS.Signals): Promise<void> {
		if (signal !== 'SIGSTOP') return;
		victim.kill('SIGCONT');
		await victim.ready();
	}
});
