import assert from 'node:assert/strict';
import type { Booking, BookingList } from '../../../shared/contract/schemas/booking.ts';
import type { BookingEvent, BookingEventList } from '../../../shared/contract/schemas/event.ts';
import type { Service, ServiceList } from '../../../shared/contract/schemas/service.ts';
import type { Usage } from '../../../shared/contract/schemas/usage.ts';
import { dateOn } from '../../support/calendar.ts';
import type { Answer, Client } from '../../support/http-client.ts';
import { book, getBooking, type Place, slotInput, slotsOf } from '../../support/scheduling.ts';
import { until } from '../../support/until.ts';

/** A request during which the process dies, and that is sent again afterwards. */
export interface CrashScenario {
	name: string;
	/** Readies what the request of this point needs, and gives the request. */
	prepare(client: Client, place: Place, point: number): Promise<CrashRequest>;
}

export interface CrashRequest {
	send(client: Client, headers: Record<string, string>): Promise<Answer>;
	/**
	 * Looks whether it happened once.
	 * @param first the answer that came before the process died, if one came
	 * @param again the answer to the same request after it
	 */
	verify(client: Client, first: Answer | undefined, again: Answer): Promise<void>;
}

const CUSTOMER = { customer_name: 'Ada', customer_email: 'ada@example.com' };

/** The events of one booking, as soon as there are so many. */
async function eventsOfBooking(client: Client, id: number, count: number): Promise<BookingEvent[]> {
	return until(
		async () => {
			const events: BookingEvent[] = [];
			for (let more = true; more; ) {
				const query = { after: events.at(-1)?.sequence ?? 0, limit: 1000 };
				const page = (await client.get<BookingEventList>('/v1/events', { query })).mustBe(200);
				events.push(...page.events);
				more = page.has_more;
			}
			assert.deepEqual(
				events.map(({ sequence }) => sequence),
				events.map((_, index) => index + 1),
			);
			const own = events.filter(({ data }) => data.id === id);
			return own.length >= count && own;
		},
		{ what: `${count} events of booking ${id}` },
	);
}

async function bookingsOn(client: Client, { slot, date }: Place): Promise<Booking[]> {
	const query = { service_id: slot.service_id, page: 1, page_size: 1000, date };
	return (await client.get<BookingList>('/v1/bookings', { query })).mustBe(200).bookings;
}

async function bookingsUsed(client: Client): Promise<number> {
	return (await client.get<Usage>('/v1/usage')).mustBe(200).bookings.used;
}

/** The place of one point: a date of its own, so that nobody else has booked it. */
function placeOf(place: Place, point: number): Place {
	return { ...place, date: dateOn(place.slot.day_of_week, point) };
}

const create: CrashScenario = {
	name: 'POST /v1/bookings with an Idempotency-Key',
	async prepare(client, all, point) {
		const place = placeOf(all, point);
		const used = await bookingsUsed(client);
		const body = { date: place.date, time_slot_id: place.slot.id, ...CUSTOMER };
		const key = { 'idempotency-key': `point-${point}` };
		const send = (by: Client, headers: Record<string, string>) =>
			by.post('/v1/bookings', body, { headers: { ...headers, ...key } });
		return {
			send,
			async verify(by, first, again) {
				const data = again.mustBe(201) as Booking;
				if (first)
					assert.deepEqual([first.status, first.data, again.headers['idempotent-replayed']], [201, data, 'true']);
				const replayed = await send(by, {});
				assert.deepEqual(
					[replayed.status, replayed.data, replayed.headers['idempotent-replayed']],
					[201, data, 'true'],
				);
				assert.deepEqual(await bookingsOn(by, place), [data]);
				const events = await eventsOfBooking(by, data.id, 1);
				assert.deepEqual(
					events.map(({ type, data: told }) => [type, told]),
					[['booking.created', data]],
				);
				const counted = (await bookingsUsed(by)) - used;
				assert.ok(counted === 1 || counted === 2, `${counted} were counted`); // the one in flight may stay counted (promise R7)
			},
		};
	},
};

const confirm: CrashScenario = {
	name: 'PATCH /v1/bookings/{bookingID}',
	async prepare(client, all, point) {
		const { id } = await book(client, placeOf(all, point), CUSTOMER);
		const body = { status: 'confirmed', message: `point ${point}` };
		return {
			send: (by, headers) => by.patch(`/v1/bookings/${id}`, body, { headers }),
			async verify(by, first, again) {
				const data = again.mustBe(200) as Booking;
				if (first) assert.deepEqual(first.mustBe(200), data);
				assert.deepEqual([data.version, data.status, data.message], [2, 'confirmed', body.message]);
				assert.deepEqual(await getBooking(by, id), data);
				const events = await eventsOfBooking(by, id, 2);
				assert.deepEqual(
					events.map(({ type }) => type),
					['booking.created', 'booking.confirmed'],
				);
				assert.deepEqual(events[1]!.data, data);
			},
		};
	},
};

const remove: CrashScenario = {
	name: 'DELETE /v1/bookings/{bookingID}',
	async prepare(client, all, point) {
		const place = placeOf(all, point);
		const { id } = await book(client, place, CUSTOMER);
		return {
			send: (by, headers) => by.delete(`/v1/bookings/${id}`, { headers }),
			async verify(by, first, again) {
				assert.equal(first?.status ?? 200, 200);
				// Also `ok` behind an answer that arrived: it may have died before it noted that (X17).
				assert.ok([200, 404].includes(again.status), `repeated, it answered ${again.status}`);
				assert.deepEqual(await bookingsOn(by, place), []);
				const events = await eventsOfBooking(by, id, 2);
				assert.deepEqual(
					events.map(({ type }) => type),
					['booking.created', 'booking.deleted'],
				);
				await book(by, place, CUSTOMER); // place and customer are free
			},
		};
	},
};

const createService: CrashScenario = {
	name: 'POST /v1/services with an Idempotency-Key',
	async prepare(_, __, point) {
		const time_slots = [slotInput(), slotInput({ day_of_week: 2 }), slotInput({ day_of_week: 3 })];
		const body = { name: `Point ${point}`, timezone: 'Europe/Berlin', time_slots };
		const key = { 'idempotency-key': `service-${point}` };
		return {
			send: (by, headers) => by.post('/v1/services', body, { headers: { ...headers, ...key } }),
			async verify(by, first, again) {
				const data = again.mustBe(201) as Service;
				if (first)
					assert.deepEqual([first.status, first.data, again.headers['idempotent-replayed']], [201, data, 'true']);
				const query = { page: 1, page_size: 1000 };
				const { services } = (await by.get<ServiceList>('/v1/services', { query })).mustBe(200);
				assert.deepEqual(
					services.filter(({ name }) => name === body.name).map(({ id }) => id),
					[data.id],
				);
				assert.equal((await slotsOf(by, data.id)).length, time_slots.length);
			},
		};
	},
};

export const scenarios = { create, confirm, remove, createService };
