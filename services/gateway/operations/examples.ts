import type { AvailabilityEntry, ServiceAvailabilityEntry } from '../../../shared/contract/schemas/availability.ts';
import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import type { CalendarFeed, NewCalendarFeed } from '../../../shared/contract/schemas/calendar-feed.ts';
import type { DirectoryCustomer, PersonExport } from '../../../shared/contract/schemas/customer.ts';
import type { DateOverride } from '../../../shared/contract/schemas/date-override.ts';
import type { Delivery } from '../../../shared/contract/schemas/delivery.ts';
import type { BookingEvent, CustomerErased } from '../../../shared/contract/schemas/event.ts';
import type { Impact } from '../../../shared/contract/schemas/impact.ts';
import type { Schedule } from '../../../shared/contract/schemas/schedule.ts';
import type { Service } from '../../../shared/contract/schemas/service.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import type { Usage } from '../../../shared/contract/schemas/usage.ts';
import type { Webhook, WebhookWithSecret } from '../../../shared/contract/schemas/webhook.ts';

/** The resources that the reference shows: a music school, its lesson on Monday mornings, and a pupil. */
const CREATED = '2026-11-21T09:30:00.000Z';

export const serviceExample: Service = {
	id: 1,
	name: 'Piano lesson',
	description: '45 minutes, all levels',
	timezone: 'Europe/Berlin',
	rules: { min_notice_minutes: null, max_advance_days: null },
	metadata: { room: 'Garden wing' },
	bookings_count: 1,
	provider: {
		id: 'acc_Y2F0Y2hpbmc',
		name: 'Music school',
		email: 'office@example.com',
		phone: null,
		avatar: null,
		is_verified: true,
		role_id: 1,
		role: { id: 1, name: 'provider', description: 'Publishes services and takes bookings', level: 10 },
		package_id: 2,
		package: {
			id: 2,
			name: 'Developer',
			bookings_per_month: 5000,
			requests_per_month: 50_000,
			rate_limit_per_second: 10,
			services_limit: 25,
			overages_enabled: false,
			overage_price_amount: 0,
			price_amount: 2900,
			price_currency: 'eur',
			price_interval: 'month',
			payment_overage_price_id: null,
			payment_price_id: null,
			created_at: CREATED,
			updated_at: CREATED,
		},
		payment_customer_id: null,
		subscription_status: 'active',
		created_at: CREATED,
		updated_at: CREATED,
	},
	provider_id: 'acc_Y2F0Y2hpbmc',
	version: 1,
	created_at: CREATED,
	updated_at: CREATED,
};

export const timeSlotExample: TimeSlot = {
	id: 1,
	service_id: 1,
	day_of_week: 1,
	start_time: '2026-01-05 09:00:00',
	end_time: '2026-01-05 09:45:00',
	max_bookings: 4,
	valid_from: null,
	valid_until: null,
	created_at: CREATED,
	updated_at: CREATED,
};

export const scheduleExample: Schedule = {
	timezone: serviceExample.timezone,
	time_slots: [timeSlotExample],
	rules: serviceExample.rules,
	version: 1,
};

export const dateOverrideExample: DateOverride = {
	id: 1,
	date_from: '2026-12-24',
	date_to: '2026-12-26',
	time_slot_id: 1,
	max_bookings: 0,
	reason: 'Christmas',
};

/** Of a change to 10 o'clock, or to fewer bookings than there are */
export const impactExample: Impact = {
	over_capacity: { total: 1, items: [{ time_slot_id: 1, date: '2027-01-11', booked: 4, max_bookings: 2 }] },
	retired: { total: 0, items: [] },
	out_of_step: {
		total: 1,
		items: [
			{
				booking_id: 1,
				time_slot_id: 1,
				date: '2027-01-04',
				starts_at: '2027-01-04T09:00:00+01:00',
				ends_at: '2027-01-04T09:45:00+01:00',
				scheduled_starts_at: '2027-01-04T10:00:00+01:00',
				scheduled_ends_at: '2027-01-04T10:45:00+01:00',
			},
		],
	},
};

export const bookingExample: Booking = {
	id: 1,
	service_id: 1,
	date: '2027-01-04',
	time_slot_id: 1,
	starts_at: '2027-01-04T09:00:00+01:00',
	ends_at: '2027-01-04T09:45:00+01:00',
	timezone: 'Europe/Berlin',
	status: 'pending',
	expires_at: null,
	message: 'First lesson',
	metadata: { order: 'A-1042' },
	customer: {
		id: 1,
		name: 'Ada Lovelace',
		email: 'ada@example.com',
		phone: '+15550100',
		created_at: CREATED,
		updated_at: CREATED,
	},
	customer_id: 1,
	time_slot: timeSlotExample,
	user_id: 'acc_Y2F0Y2hpbmc',
	version: 1,
	created_at: CREATED,
	updated_at: CREATED,
};

export const availabilityExample: AvailabilityEntry = {
	date: '2027-01-04',
	time_slot_id: 1,
	starts_at: '2027-01-04T09:00:00+01:00',
	ends_at: '2027-01-04T09:45:00+01:00',
	max_bookings: 4,
	override_id: null,
	booked: 1,
	remaining: 3,
	bookable: true,
	reason: null,
};

const { date, ...place } = availabilityExample;
export const serviceAvailabilityExample: ServiceAvailabilityEntry = { date, service_id: 1, ...place };

export const eventExample: BookingEvent = {
	id: 'evt_1_1',
	type: 'booking.created',
	timestamp: CREATED,
	sequence: 1,
	data: bookingExample,
	previous: {},
};

export const customerErasedExample: CustomerErased = {
	id: 'evt_erasure_8Kx0qTzW3LmA_1',
	type: 'customer.erased',
	timestamp: CREATED,
	sequence: 7,
	data: { booking_ids: [1] },
	previous: {},
};

export const directoryCustomerExample: DirectoryCustomer = {
	id: 1,
	name: bookingExample.customer.name,
	email: bookingExample.customer.email,
	phone: bookingExample.customer.phone,
	booking_id: 1,
	service_id: bookingExample.service_id,
	date: bookingExample.date,
	status: bookingExample.status,
};

export const personExportExample: PersonExport = {
	email: 'ada@example.com',
	phone: null,
	exported_at: CREATED,
	bookings: [bookingExample],
	first_answers: [{ kept_until: '2026-11-22T10:30:00.000Z', answer: bookingExample }],
	events: [{ event: eventExample, deliveries: [{ delivery_id: 1, webhook_id: 1, status: 'delivered' }] }],
	has_more: false,
	next_after: 1,
};

export const usageExample: Usage = {
	month: '2026-11',
	resets_at: '2026-12-01T00:00:00.000Z',
	package: 'Developer',
	overages_enabled: false,
	requests: { used: 12_400, limit: 50_000, remaining: 37_600, overage: 0, projected: 18_148 },
	bookings: { used: 820, limit: 5_000, remaining: 4_180, overage: 0, projected: 1_200 },
	services: { used: 3, limit: 25, remaining: 22 },
	scopes: ['read', 'write'],
};

export const calendarFeedExample: CalendarFeed = {
	id: 1,
	service_id: 1,
	include_customers: true,
	created_at: CREATED,
};

export const newCalendarFeedExample: NewCalendarFeed = {
	...calendarFeedExample,
	address: '/calendar/4wVb0Wn1bLh6QkTt9cZp2sXy7RfGd8JaMe3UoNi5KqB.ics',
};

export const webhookExample: Webhook = {
	id: 1,
	url: 'https://example.com/hooks/bookings',
	events: ['booking.created', 'booking.cancelled'],
	description: 'Calendar of the front desk',
	enabled: true,
	disabled_reason: null,
	disabled_at: null,
	failing_since: null,
	missed: null,
	version: 1,
	created_at: CREATED,
	updated_at: CREATED,
};

export const webhookWithSecretExample: WebhookWithSecret = {
	...webhookExample,
	secret: 'whsec_3q2+7wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhs=',
};

export const deliveryExample: Delivery = {
	id: 1,
	webhook_id: 1,
	event_id: 'evt_1_1',
	event_type: 'booking.created',
	sequence: 1,
	status: 'delivered',
	attempts: [
		{ at: '2026-11-21T09:30:00.120Z', duration: 15_000, status: null, error: 'no complete answer within 15 s' },
		{ at: '2026-11-21T09:30:20.730Z', duration: 84, status: 204, error: null },
	],
	next_attempt_at: null,
	created_at: '2026-11-21T09:30:00.110Z',
};
