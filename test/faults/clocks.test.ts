import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventsOf } from '../support/feed.ts';
import { Client } from '../support/http-client.ts';
import { type Product, startProduct } from '../support/product.ts';
import { book, newCustomer, slotOn } from '../support/scheduling.ts';
import { SETTABLE, setClock } from '../support/set-clock.ts';
import { until } from '../support/until.ts';

const HOUR = 3_600_000; // ms
/**
 * Longest time in ms that an event may take. The must's 5 s are for a machine that does nothing else (ALONE=1); beside
 * other suites on two cores it only tells that nothing waits for a clock.
 */
const WITHIN = process.env.ALONE === '1' ? 5_000 : 120_000;

let product: Product;
beforeAll(async () => {
	product = await startProduct({ form: 'embedded', keys: { Unlimited: 1 }, env: SETTABLE });
}, 300_000);
afterAll(() => product?.stop(), 60_000);

test('X4: When a process made 20 bookings with its clock an hour ahead and was killed, then their events come at once', async () => {
	const client = new Client(() => product.urls(), product.keys.Unlimited[0]!);
	const place = await slotOn(client, { max_bookings: 20 });
	const [slotwise] = product.processes;
	setClock(product, slotwise!, HOUR);
	await delay(100); // it looks at its clock every 20 ms
	await Promise.all(Array.from({ length: 20 }, () => book(client, place, newCustomer())));
	slotwise!.kill('SIGKILL');
	await slotwise!.restart(); // its clock is right again
	await slotwise!.ready();
	await until(async () => (await eventsOf(client)).length >= 20, { timeout: WITHIN, what: '20 events' });
	const events = await eventsOf(client);
	expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
}, 600_000);
