import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { Erasure } from '../../shared/contract/schemas/customer.ts';
import { opsWith } from '../ops/ops.ts';
import { createSurely } from '../support/create-surely.ts';
import { everythingStored } from '../support/everything-stored.ts';
import { allEventsOf } from '../support/feed.ts';
import { Client } from '../support/http-client.ts';
import { type Form, type Product, startProduct } from '../support/product.ts';
import { book, bookingBody, getBooking, newCustomer, slotOn } from '../support/scheduling.ts';
import { whyNoCluster } from '../support/servers.ts';
import { until } from '../support/until.ts';

const BOOKINGS = 300;
const PERSON = { customer_name: 'Ada Erasable', customer_phone: '+4915735990002', message: 'a secret of adas' };
const TEXTS = Object.values(PERSON);

/** Kills whatever carries out an erasure, `kills` times while it does, and looks what is left in the end. */
async function eraseUnderKills(product: Product, kills: () => Promise<void>): Promise<void> {
	const client = new Client(() => product.urls(), product.keys.Unlimited[0]!);
	const place = await slotOn(client, { max_bookings: 10_000 });
	const other = await book(client, place, newCustomer());
	for (let at = 0; at < BOOKINGS; at += 20) {
		const some = Array.from({ length: 20 }, (_, index) => ({
			...PERSON,
			customer_email: `ada${at + index}@erase.example`,
		}));
		await Promise.all(some.map((one) => createSurely(client, '/v1/bookings', bookingBody(place, one))));
	}
	const { bookings } = (await client.post<Erasure>('/v1/customers/erase', { phone: PERSON.customer_phone })).mustBe(
		202,
	);
	expect(bookings).toBe(BOOKINGS);
	await kills();
	const left = await until(
		async () => {
			const stored = await everythingStored(product);
			return TEXTS.every((text) => !stored.includes(text)) && stored;
		},
		{ what: 'a store without the person' },
	);
	expect(left.includes('@erase.example')).toBe(false);
	const feed = await until(async () => {
		const events = await allEventsOf(client);
		return events.some(({ type }) => type === 'customer.erased') && events;
	});
	expect(feed.map(({ sequence }) => sequence)).toEqual(feed.map((_, index) => index + 1));
	const told = feed.flatMap((event) => (event.type === 'customer.erased' ? event.data.booking_ids : []));
	expect(new Set(told).size).toBe(BOOKINGS);
	const list = await client.get<{ bookings: Booking[] }>('/v1/bookings', {
		query: { service_id: place.service.id, page: 1, page_size: 1000 },
	});
	expect(list.data.bookings.filter(({ customer }) => customer.phone !== null)).toEqual([]);
	expect(list.data.bookings).toHaveLength(BOOKINGS + 1);
	expect(await getBooking(client, other.id)).toEqual(other);
	const { stdout } = await opsWith(product.operatorEnv, product.directory, ['audit', '--json']);
	expect((JSON.parse(stdout) as { findings: unknown }).findings).toEqual([]);
}

async function inProduct(form: Form, act: (product: Product) => Promise<void>): Promise<void> {
	const counts = { booking: 2, customer: 2, notifications: 2 };
	const product = await startProduct({ form, keys: { Unlimited: 1 }, ...(form === 'cluster' && { counts }) });
	try {
		await act(product);
	} finally {
		await product.stop();
	}
}

describe('X9: An erasure under kills', () => {
	test('C2, X9: When the process is killed again and again while it erases, embedded, then nothing is left', async () => {
		await inProduct('embedded', async (product) => {
			const [slotwise] = product.processes;
			await eraseUnderKills(product, async () => {
				for (const after of [0, 30, 60, 120, 250]) {
					await delay(after);
					slotwise!.kill('SIGKILL');
					await slotwise!.exited;
					await slotwise!.restart();
					await slotwise!.ready();
				}
			});
		});
	});

	const inCluster = whyNoCluster() === undefined ? test : test.skip;
	inCluster('C2, X9: When processes of each service are killed while they erase, then nothing is left', async () => {
		await inProduct('cluster', async (product) => {
			await eraseUnderKills(product, async () => {
				for (const service of ['customer', 'booking', 'notifications', 'customer'] as const) {
					const [one] = product.of(service);
					one!.kill('SIGKILL');
					await one!.exited;
					await delay(300);
					await one!.restart();
					await one!.ready();
				}
			});
		});
	});
});
