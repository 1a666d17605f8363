import { createHash } from 'node:crypto';
import { escape as escapeText, foldLines, ICalCalendar, ICalEventStatus } from 'ical-generator';
import type { CalendarEntry, FoundFeed } from '../../../shared/contract/actions.ts';
import type { BookingStatus } from '../../../shared/contract/schemas/booking.ts';
import { Slices } from '../../../shared/work/long-work.ts';
import type { Answer } from '../pipeline/answer.ts';

const TYPE = 'text/calendar; charset=utf-8';
/** Raised where the same bookings are written otherwise, so that nobody keeps them as they were written before. */
const FORM = 2;
const END = 'END:VCALENDAR';
const NEWLINE = '\r\n';
/** Events between two looks at the clock: some 0.2 ms */
const EVENTS_A_LOOK = 10;

const STATUS: Record<BookingStatus, ICalEventStatus> = {
	pending: ICalEventStatus.TENTATIVE,
	confirmed: ICalEventStatus.CONFIRMED,
	cancelled: ICalEventStatus.CANCELLED,
};

/**
 * The calendar of a feed (RFC 5545), or 304. A booking is written anew with each version only, so its versions tell whether a
 * client has it all, before anything is written.
 */
export async function calendarAnswer(
	feed: FoundFeed,
	entries: readonly CalendarEntry[],
	ifNoneMatch: string | undefined,
): Promise<Answer> {
	const ETag = tagOf(feed, entries);
	const has = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
	if (has?.some((tag) => tag === '*' || tag === ETag.slice(2))) return { status: 304, headers: { ETag } };
	const body = Buffer.from((await lines(feed, entries)).join(''));
	return { status: 200, headers: { ETag, 'Content-Type': TYPE }, body, isOwn: true };
}

/** Weak: the same calendar has several codings (RFC 9110 §8.8.3.3). */
function tagOf({ service_id, include_customers, service_name }: FoundFeed, entries: readonly CalendarEntry[]): string {
	const versions = entries.map(({ id, version }) => `${id}.${version}`);
	const hash = createHash('sha256').update(
		JSON.stringify([FORM, service_id, include_customers, service_name, versions]),
	);
	return `W/"${hash.digest('base64url').slice(0, 22)}"`;
}

/** The library writes a calendar in one go, and ten thousand lines take long: so event by event, with turns for others. */
async function lines(feed: FoundFeed, entries: readonly CalendarEntry[]): Promise<string[]> {
	// Of all texts it escapes only this one not, and a service's name may have line breaks.
	const name = escapeText(feed.service_name, false);
	const calendar = new ICalCalendar({ name, prodId: { company: 'Slotwise', product: 'Slotwise' } });
	const frame = calendar.toString();
	const parts = [frame.slice(0, frame.lastIndexOf(END))];
	const slices = new Slices();
	try {
		for (const [at, entry] of entries.entries()) {
			if (at % EVENTS_A_LOOK === 0 && slices.isUsedUp) await slices.next();
			parts.push(foldLines(calendar.createEvent(eventOf(feed, entry)).toString()));
			calendar.clear();
		}
	} finally {
		slices.end();
	}
	parts.push(END, NEWLINE);
	return parts;
}

function eventOf({ account_id, service_name }: FoundFeed, entry: CalendarEntry) {
	const { id, version, status, starts_at, ends_at, created_at, updated_at, customer } = entry;
	const told = [customer?.email, customer?.phone].filter((one) => one != null);
	return {
		id: `booking-${id}@${account_id}.slotwise`,
		sequence: version,
		start: new Date(starts_at),
		end: new Date(ends_at),
		stamp: new Date(updated_at),
		created: new Date(created_at),
		lastModified: new Date(updated_at),
		status: STATUS[status],
		summary: customer?.name ? `${service_name}: ${customer.name}` : service_name,
		description: told.length > 0 ? told.join('\n') : null,
	};
}
