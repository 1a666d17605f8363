import type { VNode } from 'preact';
import { get } from '../api/client.ts';
import { useRead } from '../api/resource.ts';
import type { Booking, BookingEvent, EventList } from '../api/shapes.ts';
import { Empty, Shown } from '../parts/notices.tsx';
import { clock, localMoment, shortDate } from '../times.ts';

/** By type; one that is not here is told by its type. */
export const WORDS: Record<string, string> = {
	'booking.created': 'Booked',
	'booking.confirmed': 'Confirmed',
	'booking.cancelled': 'Cancelled',
	'booking.updated': 'Changed',
	'booking.deleted': 'Deleted',
};

/** Whether it is a change of a booking: the feed has, and will have, others. */
export function isOfBooking(event: EventList['events'][number]): event is BookingEvent {
	return event.type.startsWith('booking.');
}

/** s that the feed may be behind a change; ms for which a change is a new one */
const BEHIND = 5;
const NEW = 60_000;

/** As many as the feed has of one booking, read whole: a booking has few. Where it has just changed, that event is waited for. */
async function eventsOf({ id, version, updated_at }: Booking, signal: AbortSignal): Promise<BookingEvent[]> {
	const events: BookingEvent[] = [];
	const isNew = Math.abs(Date.now() - Date.parse(updated_at)) < NEW;
	for (let after = 0, wait = 0; ; ) {
		const list = await get<EventList>('/v1/events', { booking_id: id, after, limit: 1000, wait }, signal);
		events.push(...list.events.filter(isOfBooking));
		after = list.next_after;
		const isBehind = isNew && (events.at(-1)?.data.version ?? 0) < version;
		const isInVain = wait > 0 && list.events.length === 0;
		if (!list.has_more && (!isBehind || isInVain)) return events.reverse();
		wait = list.has_more ? 0 : BEHIND;
	}
}

/** What became of a booking, the last first, as the feed has it: for 30 days */
export function BookingHistory({ booking }: { booking: Booking }): VNode {
	const { id, version } = booking;
	const events = useRead(`events of ${id}, version ${version}`, (signal) => eventsOf(booking, signal));
	return (
		<Shown of={events}>
			{(list) =>
				list.length === 0 ? (
					<Empty title="Nothing in the last 30 days" />
				) : (
					<ol class="history">
						{list.map((event) => (
							<li key={event.id}>
								<p>
									<strong>{WORDS[event.type] ?? event.type}</strong>
									<time dateTime={event.timestamp}>{localMoment(event.timestamp)}</time>
								</p>
								<Differences event={event} />
							</li>
						))}
					</ol>
				)
			}
		</Shown>
	);
}

/** What is shown of a change; the others follow from these, or nobody looks for them. */
const SHOWN: [keyof Booking, string][] = [
	['date', 'Date'],
	['starts_at', 'Start'],
	['status', 'Status'],
	['cancel_reason', 'Reason'],
	['expires_at', 'Held until'],
	['message', 'Note'],
	['customer', 'Customer'],
	['metadata', 'Data'],
];

/** The fields that changed, as they were and as they are */
export function Differences({ event: { previous, data } }: { event: BookingEvent }): VNode | null {
	const changed = SHOWN.filter(([field]) => field in previous && !(field === 'starts_at' && 'date' in previous));
	if (changed.length === 0) return null;
	return (
		<ul class="differences">
			{changed.map(([field, word]) => (
				<li key={field}>
					{word}: <del dir="auto">{inWords(field, (previous as Partial<Booking>)[field])}</del>{' '}
					<span aria-hidden="true">→</span> <ins dir="auto">{inWords(field, data[field])}</ins>
				</li>
			))}
		</ul>
	);
}

function inWords(field: keyof Booking, value: unknown): string {
	if (value === null || value === undefined || value === '') return 'none';
	if (field === 'date') return shortDate(String(value));
	if (field === 'starts_at') return clock(String(value));
	if (field === 'expires_at') return localMoment(String(value));
	if (field === 'customer') {
		const { name, email, phone } = value as Booking['customer'];
		return [name, email, phone].filter((text) => text !== null).join(', ') || 'none';
	}
	return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
