import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { CalendarFeed, CalendarFeedList, NewCalendarFeed } from '../../shared/contract/schemas/calendar-feed.ts';
import type {
	CreateDateOverride,
	DateOverride,
	DateOverrideList,
} from '../../shared/contract/schemas/date-override.ts';
import type { Schedule } from '../../shared/contract/schemas/schedule.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import type { TimeSlot, TimeSlotInput } from '../../shared/contract/schemas/time-slot.ts';
import { dateOn } from './calendar.ts';
import type { Answer, Client, RequestOptions } from './http-client.ts';

/** A slot and one of its dates. */
export interface Place {
	slot: TimeSlot;
	date: string;
}

/** Mondays from 9 to 10, one booking. */
export function slotInput(changes: Partial<TimeSlotInput> = {}): TimeSlotInput {
	return {
		day_of_week: 1,
		start_time: '2026-01-05 09:00:00',
		end_time: '2026-01-05 10:00:00',
		max_bookings: 1,
		...changes,
	};
}

export function serviceBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
	return { name: 'Piano lesson', timezone: 'Europe/Berlin', ...changes };
}

export async function createService(client: Client, changes: Record<string, unknown> = {}): Promise<Service> {
	return (await client.post<Service>('/v1/services', serviceBody(changes))).mustBe(201);
}

export async function getService(client: Client, id: number): Promise<Service> {
	return (await client.get<Service>(`/v1/services/${id}`)).mustBe(200);
}

export async function slotsOf(client: Client, serviceId: number): Promise<TimeSlot[]> {
	return (await client.get<TimeSlot[]>(`/v1/services/${serviceId}/time-slots`)).mustBe(200);
}

export async function scheduleOf(client: Client, serviceId: number): Promise<Schedule> {
	return (await client.get<Schedule>(`/v1/services/${serviceId}/schedule`)).mustBe(200);
}

/** Tries to replace a schedule; a refusal is an answer too. */
export function replaceSchedule(
	client: Client,
	serviceId: number,
	body: unknown,
	options: RequestOptions = {},
): Promise<Answer<Schedule>> {
	return client.put<Schedule>(`/v1/services/${serviceId}/schedule`, body, options);
}

/** A new service with one slot, and the first date that the slot falls on. */
export async function slotOn(client: Client, changes: Partial<TimeSlotInput> & { timezone?: string } = {}) {
	const { timezone = 'Europe/Berlin', ...slotChanges } = changes;
	const service = await createService(client, { timezone, time_slots: [slotInput(slotChanges)] });
	const [slot] = await slotsOf(client, service.id);
	return { service, slot: slot!, date: dateOn(slot!.day_of_week) };
}

export async function newFeed(client: Client, serviceId: number, include_customers = false): Promise<NewCalendarFeed> {
	const path = `/v1/services/${serviceId}/calendar-feeds`;
	return (await client.post<NewCalendarFeed>(path, { include_customers })).mustBe(201);
}

export async function feedsOf(client: Client, serviceId: number): Promise<CalendarFeed[]> {
	const path = `/v1/services/${serviceId}/calendar-feeds`;
	return (await client.get<CalendarFeedList>(path)).mustBe(200).calendar_feeds;
}

/** Of days on which no test books, unless the changes say others. */
export async function overrideDates(
	client: Client,
	serviceId: number,
	changes: Partial<CreateDateOverride> = {},
): Promise<DateOverride> {
	const body = { date_from: '2001-01-01', date_to: '2001-01-07', max_bookings: 0, ...changes };
	return (await client.post<DateOverride>(`/v1/services/${serviceId}/date-overrides`, body)).mustBe(201);
}

export async function overridesOf(
	client: Client,
	serviceId: number,
	query: Record<string, number> = {},
): Promise<DateOverrideList> {
	return (await client.get<DateOverrideList>(`/v1/services/${serviceId}/date-overrides`, { query })).mustBe(200);
}

export function bookingBody(place: Place, changes: Record<string, unknown> = {}): Record<string, unknown> {
	return { date: place.date, time_slot_id: place.slot.id, ...changes };
}

/** Tries to book; a refusal is an answer too. */
export function tryToBook(
	client: Client,
	place: Place,
	changes: Record<string, unknown> = {},
	options: RequestOptions = {},
): Promise<Answer<Booking>> {
	return client.post<Booking>('/v1/bookings', bookingBody(place, changes), options);
}

export async function book(client: Client, place: Place, changes: Record<string, unknown> = {}): Promise<Booking> {
	return (await tryToBook(client, place, changes)).mustBe(201);
}

export async function getBooking(client: Client, id: number): Promise<Booking> {
	return (await client.get<Booking>(`/v1/bookings/${id}`)).mustBe(200);
}

/** Bookings of a service that hold a place, as the API lists them. */
export async function activeBookings(client: Client, serviceId: number): Promise<Booking[]> {
	const query = { service_id: serviceId, page: 1, page_size: 1000 };
	const { bookings } = (await client.get<{ bookings: Booking[] }>('/v1/bookings', { query })).mustBe(200);
	return bookings.filter((booking) => booking.status !== 'cancelled');
}

let customers = 0;

/** A customer that nobody else is. */
export function newCustomer(): { customer_name: string; customer_email: string } {
	const number = ++customers;
	return { customer_name: `Customer ${number}`, customer_email: `customer-${process.pid}-${number}@example.com` };
}
