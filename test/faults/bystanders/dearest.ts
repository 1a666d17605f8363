import { operations } from '../../../services/gateway/operations/index.ts';
import type { Operation } from '../../../services/gateway/operations/operation.ts';
import { addDays } from '../../../shared/calendar/plain-date.ts';
import { dateOn } from '../../support/calendar.ts';
import type { Answer, Client } from '../../support/http-client.ts';
import { newCustomer } from '../../support/scheduling.ts';
import { type DearWorld, dearSlots } from './world.ts';

/** As long as the API takes it: of characters of one byte, and of four */
const LONG = 'x'.repeat(255);
const WIDE = '😀'.repeat(490);

/** @param at counts the requests of an attack */
export type Ask = (client: Client, world: DearWorld, at: number) => Promise<Answer>;

const TYPES = ['booking.created', 'booking.deleted'];
const FROM = dateOn(1);
const EVERY = { query: { no_pagination: true } };
const COMPRESSED = { headers: { 'accept-encoding': 'gzip' } };
const SERVICE = { name: 'Everything', timezone: 'Europe/Berlin', time_slots: dearSlots() };
/** Disabled: an account may have 25 */
const WEBHOOK = { url: 'http://127.0.0.1:9/', enabled: false };

/** A page of bookings that `query` makes dear. */
function list(query: Record<string, string | number>): Ask {
	return (client, { serviceId }) =>
		client.get('/v1/bookings', { query: { service_id: serviceId, page: 1, page_size: 20, ...query } });
}

/** Of whoever has a booking that changes all the time. */
async function exportOf(client: Client, bookingId: number): Promise<Answer> {
	const booking = await client.get<{ customer: { email: string } }>(`/v1/bookings/${bookingId}`);
	if (booking.status !== 200) return booking;
	return client.get('/v1/customers/export', { query: { email: booking.data.customer.email } });
}

async function createAndDelete(client: Client, path: string, body: object): Promise<[made: Answer, gone: Answer]> {
	const made = await client.post<{ id: number }>(path, body);
	return [made, made.status === 201 ? await client.delete(`${path}/${made.data.id}`) : made];
}

/** The dearest requests that somebody thought of, by operation and, behind a comma, what is dear about them. */
const dearest: Record<string, Ask> = {
	createService: (client) => client.post('/v1/services', SERVICE),
	listServices: (client) => client.get('/v1/services', { query: { page_size: 1000 } }),
	getService: (client, { serviceId }) => client.get(`/v1/services/${serviceId}`),
	updateService: (client, { serviceId }, at) =>
		client.patch(`/v1/services/${serviceId}`, { description: `${at} ${LONG}`.slice(0, 255) }),
	deleteService: async (client) => (await createAndDelete(client, '/v1/services', SERVICE))[1],
	listServiceTimeSlots: (client, { serviceId }) => client.get(`/v1/services/${serviceId}/time-slots`, EVERY),
	listTimeSlots: (client) => client.get('/v1/time-slots', EVERY),
	updateTimeSlots: (client, { slotIds }, at) => {
		const time_slots = slotIds.slice(0, 100).map((id) => ({ id, max_bookings: 9_000 + (at % 100) }));
		return client.patch('/v1/time-slots', { time_slots });
	},
	getSchedule: (client, { serviceId }) => client.get(`/v1/services/${serviceId}/schedule`),
	replaceSchedule: (client, { serviceId, slotIds }, at) => {
		const time_slots = dearSlots().map((slot, index) => ({
			...slot,
			id: slotIds[index],
			max_bookings: 9_000 + (at % 100),
		}));
		return client.put(`/v1/services/${serviceId}/schedule`, { timezone: 'Europe/Berlin', time_slots });
	},
	'listTimeSlots, compressed': (client) => client.get('/v1/time-slots', { ...EVERY, ...COMPRESSED }),
	getServiceAvailability: (client, { serviceId }) =>
		client.get(`/v1/services/${serviceId}/availability`, { query: { from: FROM, to: addDays(FROM, 91) } }),
	'getServiceAvailability, compressed': (client, { serviceId }) =>
		client.get(`/v1/services/${serviceId}/availability`, {
			query: { from: FROM, to: addDays(FROM, 91) },
			...COMPRESSED,
		}),
	getAvailability: (client, { serviceId, longServiceId }) =>
		client.get('/v1/availability', {
			query: { service_ids: `${serviceId},${longServiceId}`, from: FROM, to: addDays(FROM, 91) },
		}),
	createCalendarFeed: async (client, { serviceId }) =>
		(await createAndDelete(client, `/v1/services/${serviceId}/calendar-feeds`, {}))[0],
	deleteCalendarFeed: async (client, { serviceId }) =>
		(await createAndDelete(client, `/v1/services/${serviceId}/calendar-feeds`, {}))[1],
	'createCalendarFeed, read': async (client, { serviceId }) => {
		const path = `/v1/services/${serviceId}/calendar-feeds`;
		const made = await client.post<{ id: number; address: string }>(path, { include_customers: true });
		if (made.status !== 201) return made;
		const read = await client.get(made.data.address);
		await client.delete(`${path}/${made.data.id}`);
		return read;
	},
	createBooking: (client, { slotIds }) =>
		client.post('/v1/bookings', { time_slot_id: slotIds[1], date: dateOn(1), message: WIDE, ...newCustomer() }),
	'listBookings, of nobody': list({ customer_email: 'nobody@example.com' }),
	'listBookings, a range without any': list({ date_from: addDays(FROM, 5_000), status: 'confirmed' }),
	'listBookings, long texts': (client, world, at) =>
		list({ service_id: world.longServiceId, page_size: 1000 })(client, world, at),
	'listBookings, long texts, compressed': (client, { longServiceId }) =>
		client.get('/v1/bookings', {
			query: { service_id: longServiceId, page: 1, page_size: 1000 },
			...COMPRESSED,
		}),
	'listBookings, far behind': list({ page: 5_000, page_size: 1 }),
	getBooking: (client, { bookingId }) => client.get(`/v1/bookings/${bookingId}`),
	updateBooking: (client, { bookingId }, at) => client.patch(`/v1/bookings/${bookingId}`, { message: `${WIDE}${at}` }),
	deleteBooking: (client, { bookingId }, at) => client.delete(`/v1/bookings/${bookingId + 1 + at}`),
	getBookingCustomer: (client, { bookingId }) => client.get(`/v1/bookings/${bookingId}/customer`),
	updateBookingCustomer: (client, { bookingId }, at) =>
		client.patch(`/v1/bookings/${bookingId}/customer`, { name: `Customer ${at}` }),
	listCustomers: (client) => client.get('/v1/customers', { query: { page_size: 1000 } }),
	'listCustomers, far behind': (client) => client.get('/v1/customers', { query: { page: 5_000, page_size: 1 } }),
	exportCustomer: (client, { bookingId }) => exportOf(client, bookingId),
	eraseCustomer: async (client, { slotIds }) => {
		const customer = newCustomer();
		await client.post('/v1/bookings', { time_slot_id: slotIds[1], date: dateOn(1), message: WIDE, ...customer });
		return client.post('/v1/customers/erase', { email: customer.customer_email });
	},
	listEvents: (client) => client.get('/v1/events', { query: { limit: 1000 } }),
	'listEvents, of a type without any': (client) =>
		client.get('/v1/events', { query: { limit: 1000, types: 'booking.confirmed' } }),
	'listEvents, waiting': (client) =>
		client.get('/v1/events', { query: { limit: 1000, types: 'booking.confirmed', wait: 1 } }),
	createWebhook: async (client) => (await createAndDelete(client, '/v1/webhooks', WEBHOOK))[0],
	listWebhooks: (client) => client.get('/v1/webhooks'),
	getWebhook: (client, { webhookId }) => client.get(`/v1/webhooks/${webhookId}`),
	updateWebhook: (client, { webhookId }, at) =>
		client.patch(`/v1/webhooks/${webhookId}`, { description: String(at), events: [TYPES[at % TYPES.length]] }),
	deleteWebhook: async (client) => (await createAndDelete(client, '/v1/webhooks', WEBHOOK))[1],
	rotateWebhookSecret: (client, { webhookId }) => client.post(`/v1/webhooks/${webhookId}/rotate-secret`),
	testWebhook: (client, { enabledWebhookId }) => client.post(`/v1/webhooks/${enabledWebhookId}/test`),
	listDeliveries: (client, { enabledWebhookId }) =>
		client.get(`/v1/webhooks/${enabledWebhookId}/deliveries`, { query: { page_size: 1000, status: 'failed' } }),
	redeliver: (client, { enabledWebhookId, deliveryId }) =>
		client.post(`/v1/webhooks/${enabledWebhookId}/deliveries/${deliveryId}/redeliver`),
	recoverWebhook: (client, { enabledWebhookId }) =>
		client.post(`/v1/webhooks/${enabledWebhookId}/recover`, { since: new Date(Date.now() - 3_600_000).toISOString() }),
};

/** Every operation of the table: one that nobody thought of is asked for by the example of its reference. */
export const everyDearest: Record<string, Ask> = { ...byExample(operations), ...dearest };

function byExample(all: readonly Operation[]): Record<string, Ask> {
	const names = new Set(Object.keys(dearest).map((name) => name.split(',')[0]));
	return Object.fromEntries(all.filter(({ id }) => !names.has(id)).map((operation) => [operation.id, ask(operation)]));
}

function ask({ method, path, body }: Operation): Ask {
	return (client, world) => {
		const ids: Record<string, number> = {
			serviceID: world.serviceId,
			bookingID: world.bookingId,
			webhookID: world.webhookId,
			deliveryID: world.deliveryId,
		};
		const target = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => String(ids[name] ?? 1));
		return client.request(method, target, body && { body: body.example });
	};
}
