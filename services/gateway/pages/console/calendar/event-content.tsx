import type { EventApi } from 'fullcalendar/public-api';
import type { VNode } from 'preact';
import type { AvailabilityEntry, Booking } from '../api/shapes.ts';
import { clock, longDate, minutesBetween, span } from '../times.ts';
import { REASONS } from './fill.ts';
import { nameOf } from './names.ts';

interface Props {
	event: EventApi;
	/** Type of the view that it stands in */
	view: string;
	/** Minutes of a row of a week */
	grain: number;
}

/**
 * What an event of the calendar shows, and behind it what its place and its colour tell to those who see them. Text only:
 * what customers wrote is never taken for markup.
 */
export function EventContent({ event: { extendedProps }, ...where }: Props): VNode {
	const { occurrence, booking } = extendedProps as { occurrence?: AvailabilityEntry; booking?: Booking };
	if (booking !== undefined) return <BookingContent booking={booking} {...where} />;
	if (occurrence !== undefined) return <OccurrenceContent occurrence={occurrence} {...where} />;
	return <span />;
}

function BookingContent({ booking, view }: Omit<Props, 'event'> & { booking: Booking }): VNode {
	const isAlone = view !== 'timeGridWeek'; // there the hours are beside it
	return (
		<span class={isAlone ? 'event-text' : 'event-text wrapped'}>
			{isAlone && <b>{clock(booking.starts_at)}</b>} {nameOf(booking)}
			<span class="hidden">
				, {booking.status}, {longDate(booking.date)}, {span(booking)}
			</span>
		</span>
	);
}

function OccurrenceContent({
	occurrence,
	view,
	grain,
}: Omit<Props, 'event'> & { occurrence: AvailabilityEntry }): VNode {
	const { booked, max_bookings: most, starts_at, ends_at, date, reason } = occurrence;
	const hasOneLine = view === 'timeGridWeek' && minutesBetween(starts_at, ends_at) < 2 * grain;
	const isShort = view === 'dayGridMonth' || hasOneLine;
	const count = isShort ? `${booked}/${most}` : `${booked} of ${most}`;
	const unbookable = reason === null || reason === 'closed' ? '' : `, ${REASONS[reason]}`;
	return (
		<span class={isShort ? 'event-text' : 'event-text tall'}>
			<b>{clock(starts_at)}</b> <span>{most > 0 ? count : isShort ? 'closed' : 'Closed'}</span>
			<span class="hidden">
				{most > 0 && ' booked'}
				{unbookable}, {longDate(date)}, until {clock(ends_at)}
			</span>
			{most > 0 && !isShort && (
				<svg class="meter" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
					<rect class="all" width="100" height="4" rx="2" />
					<rect class="part" width={Math.min(100, (100 * booked) / most)} height="4" rx="2" />
				</svg>
			)}
		</span>
	);
}
