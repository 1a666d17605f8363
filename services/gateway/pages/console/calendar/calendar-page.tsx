import type { EventApi, EventInput } from 'fullcalendar/public-api';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useGet } from '../api/resource.ts';
import { mayWrite } from '../api/session.ts';
import type { AvailabilityEntry, Booking, BookingList, Service } from '../api/shapes.ts';
import { Button } from '../parts/button.tsx';
import { Switch } from '../parts/field.tsx';
import { Icon } from '../parts/icons.tsx';
import { Failure } from '../parts/notices.tsx';
import { grouped } from '../parts/numbers.ts';
import { useNarrow } from '../parts/use-narrow.ts';
import { adjust, dateIn, href, idIn, route } from '../route.ts';
import { addDays, minutesBetween, now, today, wallTime } from '../times.ts';
import { BookingPanel } from './booking-panel.tsx';
import { Calendar, type Drop, type View } from './calendar.tsx';
import { EventContent } from './event-content.tsx';
import { FILLS, fillOf } from './fill.ts';
import { moveTo } from './move.ts';
import { OccurrencePanel } from './occurrence-panel.tsx';

/** Bookings that are shown at once; where there are more, the list has them. */
const MOST = 1000;

type Span = 'week' | 'month';
type Layer = 'occurrences' | 'bookings';

/** When a service takes place, how full that is, and who comes */
export function CalendarPage({ service }: { service: Service }): VNode {
	const { params } = route.value;
	const isNarrow = useNarrow();
	const span: Span = params.span === 'month' ? 'month' : 'week';
	const layer: Layer = params.show === 'bookings' ? 'bookings' : 'occurrences';
	const date = dateIn('date') ?? today(service.timezone);
	const view: View = span === 'month' ? 'dayGridMonth' : isNarrow ? 'listWeek' : 'timeGridWeek';

	const [range, setRange] = useState<{ from: string; to: string; title: string }>();
	const last = range && addDays(range.to, -1);
	const availability = useGet<{ availability: AvailabilityEntry[] }>(
		range && `/v1/services/${service.id}/availability`,
		{ from: range?.from, to: last },
	);
	const bookings = useGet<BookingList>(range && layer === 'bookings' ? '/v1/bookings' : undefined, {
		service_id: service.id,
		date_from: range?.from,
		date_to: last,
		page: 1,
		page_size: MOST,
	});
	const occurrences = availability.data?.availability;
	const events = useMemo(() => {
		const clockThere = now(service.timezone);
		if (layer === 'bookings') return bookingEvents(clockThere, occurrences, bookings.data);
		return occurrenceEvents(clockThere, occurrences);
	}, [layer, occurrences, bookings.data, service.timezone]);
	const hours = useMemo(() => hoursOf(occurrences), [occurrences]);
	const grain = useMemo(() => grainOf(occurrences), [occurrences]);

	const open = ({ extendedProps: { occurrence, booking } }: EventApi) => {
		if (booking !== undefined) adjust({ booking: booking.id, slot: undefined, on: undefined });
		else adjust({ slot: occurrence.time_slot_id, on: occurrence.date, booking: undefined });
	};
	const drop = ({ event, to, putBack }: Drop) => {
		const { booking } = event.extendedProps as { booking: Booking };
		return moveTo(booking, to, occurrences ?? [], putBack);
	};
	const step = (days: number) => adjust({ date: span === 'week' ? addDays(date, days * 7) : monthAfter(date, days) });
	const total = bookings.data?.pagination.total_items ?? 0;

	return (
		<div class="with-panel">
			<div class="calendar-side">
				<div class="toolbar">
					<div class="steps">
						<Button label={`Previous ${span}`} onPress={() => step(-1)}>
							<Icon name="previous" />
						</Button>
						<Button onPress={() => adjust({ date: undefined })}>Today</Button>
						<Button label={`Next ${span}`} onPress={() => step(1)}>
							<Icon name="next" />
						</Button>
					</div>
					<h2 class="range" aria-live="polite">
						{range?.title}
					</h2>
					<Switch
						label="What is shown"
						value={layer}
						options={[
							['occurrences', 'Times'],
							['bookings', 'Bookings'],
						]}
						onValue={(show) => adjust({ show: show === 'bookings' ? show : undefined })}
					/>
					<Switch
						label="How much is shown"
						value={span}
						options={[
							['week', 'Week'],
							['month', 'Month'],
						]}
						onValue={(one) => adjust({ span: one === 'month' ? one : undefined })}
					/>
				</div>
				<Failure error={availability.failure ?? bookings.failure} />
				{occurrences?.length === 0 && view !== 'listWeek' && (
					<p class="nothing">
						Nothing takes place in this {span}: see the{' '}
						<a href={href('schedule', { service: service.id })}>weekly schedule</a>.
					</p>
				)}
				<div class={availability.isLoading ? 'calendar-box is-loading' : 'calendar-box'}>
					<Calendar
						label={`${service.name}, ${range?.title ?? ''}`}
						view={view}
						date={date}
						timezone={service.timezone}
						events={events}
						isEditable={layer === 'bookings' && mayWrite()}
						hours={hours}
						grain={grain}
						empty={availability.isLoading ? 'Loading…' : 'Nothing takes place in this week'}
						content={(event, type) => <EventContent event={event} view={type} grain={grain} />}
						onRange={setRange}
						onOpen={open}
						onDrop={drop}
					/>
				</div>
				<footer class="legend">
					{layer === 'occurrences' ? (
						<ul aria-label="Colours">
							{Object.entries(FILLS).map(([fill, word]) => (
								<li key={fill}>
									<span class={`swatch ${fill}`} />
									{word}
								</li>
							))}
						</ul>
					) : (
						<p>
							{total > MOST
								? `The first ${grouped(MOST)} of ${grouped(total)}: the list of bookings has all of them.`
								: mayWrite()
									? 'Drag a booking to another time to move it, or open it and choose Move.'
									: 'Open a booking to see more of it.'}
						</p>
					)}
					<p>Times in {service.timezone}</p>
				</footer>
			</div>
			<OpenPanel service={service} />
		</div>
	);
}

function OpenPanel({ service }: { service: Service }): VNode | null {
	const booking = idIn('booking');
	const slot = idIn('slot');
	const on = dateIn('on');
	if (booking !== undefined) return <BookingPanel key={booking} id={booking} />;
	if (slot !== undefined && on !== undefined) {
		return <OccurrencePanel key={`${slot} ${on}`} service={service} slot={slot} date={on} />;
	}
	return null;
}

/** @param now by the clock of the service */
function occurrenceEvents(now: string, occurrences: AvailabilityEntry[] = []): EventInput[] {
	return occurrences.map((occurrence) => ({
		id: `${occurrence.time_slot_id} ${occurrence.date}`,
		start: wallTime(occurrence.starts_at),
		end: wallTime(occurrence.ends_at),
		className: `occurrence ${fillOf(occurrence)}${occurrence.bookable ? '' : ' unbookable'}${pastAt(now, occurrence)}`,
		display: 'block',
		occurrence,
	}));
}

/** Bookings, with the occurrences behind them */
function bookingEvents(
	now: string,
	occurrences: AvailabilityEntry[] = [],
	list: BookingList | undefined,
): EventInput[] {
	const behind = occurrences.map((occurrence) => ({
		id: `behind ${occurrence.time_slot_id} ${occurrence.date}`,
		start: wallTime(occurrence.starts_at),
		end: wallTime(occurrence.ends_at),
		display: 'background',
		className: `behind ${fillOf(occurrence)}`,
		editable: false,
	}));
	const bookings = (list?.bookings ?? []).filter(({ status }) => status !== 'cancelled');
	const before = bookings.map((booking) => ({
		id: String(booking.id),
		start: wallTime(booking.starts_at),
		end: wallTime(booking.ends_at),
		className: `booking-event ${booking.status}${pastAt(now, booking)}`,
		display: 'block',
		booking,
	}));
	return [...behind, ...before];
}

function pastAt(now: string, { ends_at }: { ends_at: string }): string {
	return wallTime(ends_at) <= now ? ' past' : '';
}

/** From an hour before the first to an hour after the last, at least the working day */
function hoursOf(occurrences: AvailabilityEntry[] = []): { from: string; to: string } {
	let [from, to] = [9, 17];
	for (const { date, starts_at, ends_at } of occurrences) {
		from = Math.min(from, Number(starts_at.slice(11, 13)));
		const end = Number(ends_at.slice(11, 13)) + (ends_at.slice(14, 16) === '00' ? 0 : 1);
		to = Math.max(to, ends_at.slice(0, 10) > date ? 24 : end);
	}
	const hour = (number: number) => `${String(Math.max(0, Math.min(24, number))).padStart(2, '0')}:00:00`;
	return { from: hour(from - 1), to: hour(to + 1) };
}

/** Minutes of a row of the week: so many that the shortest occurrence has room for a line of text */
function grainOf(occurrences: AvailabilityEntry[] = []): number {
	const lengths = occurrences.map(({ starts_at, ends_at }) => minutesBetween(starts_at, ends_at));
	const shortest = Math.min(30, ...lengths);
	return [30, 15, 10].find((minutes) => minutes <= shortest) ?? 5;
}

function monthAfter(date: string, months: number): string {
	const [year, month] = date.split('-').map(Number) as [number, number];
	return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10);
}
