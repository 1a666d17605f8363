import { daysBetween } from '../../../shared/calendar/plain-date.ts';
import {
	Booking,
	BookingFilters,
	BookingList,
	BookingSort,
	CreateBooking,
	UpdateBooking,
} from '../../../shared/contract/schemas/booking.ts';
import { Page, PageSize, pagination } from '../../../shared/contract/schemas/pagination.ts';
import { Id, Type } from '../../../shared/contract/schemas/schema.ts';
import { bookingExample } from './examples.ts';
import { type Operation, type Outcome, operation } from './operation.ts';
import { orAlternatives } from './or-alternatives.ts';
import { BOOKINGS_A_PIECE, offsetOf, ofIds, paginationOf } from './pieces.ts';
import { sortedPage } from './sorted-page.ts';

const path = Type.Object({ bookingID: Id('Booking') });
const Alternatives = Type.Optional(
	Type.Integer({
		minimum: 1,
		maximum: 10,
		description:
			'A refusal for want of a place, `notice` or `horizon` tells so many others of the service within 28 days',
	}),
);
const IgnoreRules = Type.Optional(
	Type.Boolean({ description: "true: sets the service's `rules` aside, for the provider's own desk" }),
);

const single = (booking: Booking): Outcome => ({ data: booking, version: booking.version });

/** Between the two dates of a list without a service */
const MAX_DAYS = 92;
const SERVICE_REQUIRED = `is required and must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}`;

/** Whether a list of all services of an account is short enough to be asked for. */
function isNarrow({
	date,
	date_from,
	date_to,
	customer_email,
	customer_phone,
	updated_since,
}: BookingFilters): boolean {
	if ((date ?? customer_email ?? customer_phone ?? updated_since) !== undefined) return true;
	return date_from !== undefined && date_to !== undefined && daysBetween(date_from, date_to) <= MAX_DAYS;
}

/** In the order of the reference. */
export const bookingsOperations: readonly Operation[] = [
	operation({
		id: 'createBooking',
		method: 'POST',
		path: '/v1/bookings',
		action: 'booking.create',
		scope: 'write',
		ownBucket: 'booking-creation',
		tag: 'Bookings',
		summary: 'Create a booking',
		description:
			'Books a place of a time slot on a date that falls on its day of the week. A customer is known by e-mail ' +
			'address, or by phone number where there is no address, and books a slot and date once. `hold_minutes` makes it ' +
			'a hold: it is cancelled at `expires_at`, unless it is confirmed before.',
		parameters: {
			query: Type.Object({
				service_id: Type.Optional(Id("Where given, it must be the slot's service")),
				ignore_rules: IgnoreRules,
				alternatives: Alternatives,
			}),
		},
		body: {
			schema: CreateBooking,
			resource: Booking,
			example: {
				date: bookingExample.date,
				time_slot_id: bookingExample.time_slot_id,
				customer_name: bookingExample.customer.name,
				customer_email: bookingExample.customer.email,
				customer_phone: bookingExample.customer.phone,
				message: bookingExample.message,
				metadata: bookingExample.metadata,
			},
		},
		answer: { status: 201, schema: Booking, description: 'The new booking, pending', example: bookingExample },
		errors: [
			'duplicate_booking',
			'notice',
			'horizon',
			'closed',
			'time_slot_full',
			'time_slot_not_found',
			'booking_rate_limit_exceeded',
			'idempotency_key_reused',
			'request_in_progress',
		],
		headers: { etag: true, location: true, idempotencyKey: true },
		check({ query, body }, faults) {
			const [inQuery, inBody] = [query.service_id, body.service_id ?? undefined];
			if (inQuery === undefined || inBody === undefined || inQuery === inBody) return;
			faults.add('service_id', 'contradiction', 'must be the same in the query and in the body');
		},
		async run({ query, body, idempotency, call }) {
			const { service_id: inBody, ...rest } = body;
			const service_id = query.service_id ?? inBody ?? undefined;
			const { ignore_rules, alternatives: count } = query;
			const asked = { service_id, body: rest, ignore_rules, idempotency };
			const place = async () => ({ time_slot_id: body.time_slot_id, date: body.date, ignore_rules });
			const { data, replayed } = await orAlternatives(call, count, call('booking.create', asked), place);
			return { ...single(data), replayed, location: `/v1/bookings/${data.id}` };
		},
	}),
	operation({
		id: 'listBookings',
		method: 'GET',
		path: '/v1/bookings',
		action: 'booking.list',
		scope: 'read',
		highResource: true,
		tag: 'Bookings',
		summary: 'List bookings',
		description:
			"Lists a service's bookings, by id unless `sort` says otherwise. The filters can be combined. A page past the end is " +
			'empty. `service_id` may be left out where `date`, `date_from` and `date_to` (at most 92 days apart), ' +
			'`customer_email`, `customer_phone` or `updated_since` narrows the list.',
		parameters: {
			query: Type.Object({
				service_id: Type.Optional(Id('Service; required where no filter narrows the list')),
				page: Page,
				page_size: PageSize,
				sort: Type.Optional(BookingSort),
				...BookingFilters.properties,
			}),
		},
		sample: 'service_id',
		answer: {
			status: 200,
			schema: BookingList,
			description: 'One page of bookings',
			example: { bookings: [bookingExample], pagination: pagination(1, 20, 1) },
		},
		errors: ['service_not_found'],
		headers: {},
		check({ query: { service_id, ...query } }, faults) {
			if (service_id !== undefined || isNarrow(query)) return;
			const { date_from, date_to } = query;
			if (date_from === undefined || date_to === undefined) faults.add('service_id', 'required', SERVICE_REQUIRED);
			else faults.add('date_to', 'out_of_range', `must be at most ${MAX_DAYS} days after date_from without service_id`);
		},
		async run({ query: { service_id, page, page_size, sort = 'id', ...filters }, call }) {
			const offset = offsetOf(page, page_size);
			const list = { service_id, filters };
			const asked = { ...list, sort, offset, limit: page_size, piece: BOOKINGS_A_PIECE };
			const { bookings: first, ids, last_at, total_items } = await call('booking.list', asked);
			const rest = ids.slice(BOOKINGS_A_PIECE);
			const others = await ofIds(rest, BOOKINGS_A_PIECE, (some) => call('booking.listed', { ...list, ids: some }));
			const goesOn = ids.length === page_size && total_items > offset + page_size;
			const bookings = sortedPage([...first, ...others], { sort, last_at, goesOn });
			// Where the page was full, one that went since then does not make it the last.
			const rows = ids.length === page_size ? page_size : bookings.length;
			return { data: { bookings, pagination: paginationOf(page, page_size, rows, total_items) } };
		},
	}),
	operation({
		id: 'getBooking',
		method: 'GET',
		path: '/v1/bookings/{bookingID}',
		action: 'booking.get',
		scope: 'read',
		tag: 'Bookings',
		summary: 'Get a booking',
		description:
			'With `If-None-Match` it answers 304 where the version is still the same. `starts_at`, `ends_at`, `timezone` and ' +
			'`time_slot` are what was promised when the booking took its place: a slot that changes later leaves them.',
		parameters: { path },
		answer: { status: 200, schema: Booking, description: 'The booking', example: bookingExample },
		errors: ['booking_not_found'],
		headers: { etag: true, ifNoneMatch: true },
		async run({ path: { bookingID }, call }) {
			return single(await call('booking.get', { booking_id: bookingID }));
		},
	}),
	operation({
		id: 'updateBooking',
		method: 'PATCH',
		path: '/v1/bookings/{bookingID}',
		action: 'booking.update',
		scope: 'write',
		tag: 'Bookings',
		summary: 'Update, reschedule or cancel a booking',
		description:
			'Changes the fields that are sent. To `cancelled` needs `cancel_reason` and frees the place; leaving ' +
			'`cancelled`, a new date and another `time_slot_id` take a place again, and the old one is given up with the new one ' +
			'held. The `time_slot_id` that it has, without `starts_at` and `time_slot`, takes the present times of the slot. A ' +
			'`version` that is not the current one answers 409. `hold_minutes` holds a pending booking from now on, `null` takes ' +
			'its hold off, as `confirmed` and `cancelled` do. Any other field of a booking must be what it is.',
		parameters: { path, query: Type.Object({ ignore_rules: IgnoreRules, alternatives: Alternatives }) },
		body: { schema: UpdateBooking, resource: Booking, compared: true, example: { status: 'confirmed' } },
		answer: {
			status: 200,
			schema: Booking,
			description: 'The booking as it is now',
			example: { ...bookingExample, status: 'confirmed', version: 2 },
		},
		errors: [
			'cancel_reason_required',
			'hold_expired',
			'duplicate_booking',
			'notice',
			'horizon',
			'closed',
			'time_slot_full',
			'time_slot_not_found',
			'booking_not_found',
			'version_mismatch',
			'version_conflict',
		],
		headers: { etag: true, ifMatch: true },
		async run({
			path: { bookingID: booking_id },
			query: { ignore_rules, alternatives },
			body,
			readOnly,
			ifMatch,
			call,
		}) {
			const asked = { booking_id, body, read_only: readOnly, ignore_rules, if_match: ifMatch };
			const place = async () => {
				const { time_slot_id, date } = { ...(await call('booking.get', { booking_id })), ...body };
				return { time_slot_id, date, ignore_rules };
			};
			return single(await orAlternatives(call, alternatives, call('booking.update', asked), place));
		},
	}),
	operation({
		id: 'deleteBooking',
		method: 'DELETE',
		path: '/v1/bookings/{bookingID}',
		action: 'booking.delete',
		scope: 'write',
		tag: 'Bookings',
		summary: 'Delete a booking',
		description: 'Removes the booking and its customer, and frees the place.',
		parameters: { path },
		answer: { status: 200, schema: Type.Literal('ok'), description: 'It is gone', example: 'ok' },
		errors: ['booking_not_found', 'version_mismatch'],
		headers: { ifMatch: true },
		async run({ path: { bookingID }, ifMatch, call }) {
			const data = await call('booking.delete', { booking_id: bookingID, if_match: ifMatch });
			return { data, sent: () => call('booking.deletionAnswered', { booking_id: bookingID }) };
		},
	}),
];
