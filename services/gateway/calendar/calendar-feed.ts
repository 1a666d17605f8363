import type { CalendarEntry, FoundFeed } from '../../../shared/contract/actions.ts';
import { Type } from '../../../shared/contract/schemas/schema.ts';
import { type Operation, type OperationRequest, operation } from '../operations/operation.ts';
import { ofIds } from '../operations/pieces.ts';

const DAY = 24 * 60 * 60 * 1000; // ms
const BEFORE = 30 * DAY;
const AHEAD = 365 * DAY;
/** Bookings that a feed shows: those to come first, the soonest first; then those before, the latest first */
export const MOST_BOOKINGS = 5_000;
/** An entry takes at most 2.4 kB, and NATS carries 1 MiB a message. */
const A_PIECE = 200;

/** Not one of the table: it has no key, no scope and no envelope. It is routed, logged and traced by its template. */
export const FEED_PATH = '/calendar/{file}';

type Call = OperationRequest<unknown, unknown, unknown>['call'];

/** Reading a feed, as an operation: so it has its account's turns, and ends with its deadline and its client. */
export function readFeed(feed: FoundFeed, now: number): Operation {
	return operation({
		...FEED,
		async run({ call }) {
			return { data: await entriesOf(feed, now, call) };
		},
	});
}

const FEED = {
	id: 'readCalendarFeed',
	method: 'GET',
	path: FEED_PATH,
	action: 'booking.calendar',
	scope: 'read',
	tag: 'Services',
	summary: 'Read a calendar feed',
	description: 'The bookings of a service, for programs for calendars',
	answer: { status: 200, schema: Type.String(), description: 'A calendar (RFC 5545)', example: 'BEGIN:VCALENDAR' },
	errors: ['calendar_feed_not_found', 'calendar_feed_rate_limit_exceeded'],
	headers: { etag: true, ifNoneMatch: true },
} as const;

/** Of the feed before its token is known */
export const anyFeed: Operation = operation({ ...FEED, run: async () => ({ data: [] }) });

/** By id, so that the same bookings are the same calendar, whichever of them have begun meanwhile. */
async function entriesOf(
	{ service_id, include_customers }: FoundFeed,
	now: number,
	call: Call,
): Promise<CalendarEntry[]> {
	const span = { from: now - BEFORE, now, to: now + AHEAD };
	const found = await call('booking.calendar', { service_id, ...span, limit: MOST_BOOKINGS });
	const sorted = [...found].sort((a, b) => a - b);
	return ofIds(sorted, A_PIECE, (ids) => call('booking.calendarEntries', { service_id, include_customers, ids }));
}
