import { join } from 'node:path';
import { bookingModel } from '../services/booking/booking.model.ts';
import type { Booking } from '../shared/api/booking.ts';
import type { Service } from '../shared/api/service.ts';
import type { TimeSlot } from '../shared/api/time-slot.ts';
import { addDays } from '../shared/calendar/plain-date.ts';
import { openStore } from '../shared/store/open-store.ts';
import { Client } from '../test/support/http-client.ts';
import { type Product, startProduct } from '../test/support/product.ts';
import { FIRST_MONDAY, fill } from './fill.ts';
import { closedLoop, printRatios, type Round } from './measure.ts';

/**
 * What growth costs, embedded: a page, a count, a read and a create with many bookings in the store, against the same
 * with 1,000. Two processes, measured in turn; the figures are the time of one request, large / small.
 *
 *   npm run bench:growth [-- <bookings>]   default 200,000
 */
const SMALL = 1_000;
const LARGE = Number(process.argv[2] ?? 200_000);
const ROUNDS = 9;
const REQUESTS = 300;
const CLIENTS = 8;
const SLOTS = 50;
const PER_PLACE = 10;

interface Side {
	product: Product;
	client: Client;
	service: number;
	slots: number[];
	/** The next free date, in weeks after the last one that was filled */
	week: number;
	first: number;
}

async function start(count: number): Promise<Side> {
	const product = await startProduct({ form: 'embedded' });
	const client = new Client(() => product.urls(), product.keys.Unlimited[0]);
	const body = { name: 'Growth', timezone: 'Europe/Berlin', time_slots: Array.from({ length: SLOTS }, slotInput) };
	const service = (await client.post<Service>('/v1/services', body)).mustBe(201);
	const slots = (await client.get<TimeSlot[]>(`/v1/services/${service.id}/time-slots`)).mustBe(200).map(({ id }) => id);
	const process = product.processes[0]!;
	await process.stop();
	const store = await openStore({ form: 'embedded', dataDir: join(product.directory, 'data') });
	const plan = { account_id: service.provider_id, service_id: service.id, slots, perPlace: PER_PLACE, count };
	await fill(store, plan);
	const first = await bookingModel(store.connection)
		.findOne({ account_id: service.provider_id })
		.sort({ _id: 1 })
		.lean();
	await store.close();
	await process.restart();
	await process.ready();
	return {
		product,
		client,
		service: service.id,
		slots,
		week: Math.ceil(count / SLOTS / PER_PLACE) + 1,
		first: first!._id,
	};
}

const slotInput = () => ({
	day_of_week: 1,
	start_time: '2026-01-05 09:00:00',
	end_time: '2026-01-05 10:00:00',
	max_bookings: PER_PLACE,
});

const measures: Record<string, (side: Side) => Promise<Round>> = {
	'first page of 20 with its total': ({ client, service }) =>
		closedLoop(REQUESTS, CLIENTS, async () =>
			(await client.get(`/v1/bookings?service_id=${service}&page=1&page_size=20`)).mustBe(200),
		),
	'count (a service with its bookings_count)': ({ client, service }) =>
		closedLoop(REQUESTS, CLIENTS, async () => (await client.get(`/v1/services/${service}`)).mustBe(200)),
	'one booking': ({ client, first }) =>
		closedLoop(REQUESTS, CLIENTS, async (n) => (await client.get(`/v1/bookings/${first + n}`)).mustBe(200)),
	create: (side) => {
		const date = addDays(FIRST_MONDAY, 7 * side.week++);
		return closedLoop(REQUESTS, CLIENTS, async (n) => {
			const body = { date, time_slot_id: side.slots[n % SLOTS], customer_email: `bench${n}@example.com` };
			return (await side.client.post<Booking>('/v1/bookings', body)).mustBe(201);
		});
	},
	'availability of 92 days': ({ client, service }) =>
		closedLoop(30, 2, async () =>
			(await client.get(`/v1/services/${service}/availability?from=2027-01-04&to=2027-04-05`)).mustBe(200),
		),
};

const sides = { small: await start(SMALL), large: await start(LARGE) };
const ratios: Record<string, number[]> = {};
for (let round = -1; round < ROUNDS; round++) {
	for (const [name, measure] of Object.entries(measures)) {
		const small = await measure(sides.small);
		const large = await measure(sides.large);
		if (round < 0) continue; // warming up
		ratios[name] = [...(ratios[name] ?? []), small.rate / large.rate];
	}
}
printRatios(
	`Time of a request with ${LARGE.toLocaleString('en')} bookings / with ${SMALL.toLocaleString('en')}`,
	ratios,
);
await Promise.all(Object.values(sides).map(({ product }) => product.stop()));
