import type { ComponentChildren, VNode } from 'preact';
import type { Impact } from '../api/shapes.ts';
import { href } from '../route.ts';
import { clock, shortDate, span } from '../times.ts';

interface Props {
	impact: Impact;
	service: number;
}

/** What a change would mean for bookings, before it is made */
export function ImpactView({ impact: { over_capacity, retired, out_of_step }, service }: Props): VNode {
	const isNone = over_capacity.total + retired.total + out_of_step.total === 0;
	const booking = (id: number) => <a href={href('calendar', { service, booking: id })}>Booking {id}</a>;
	return (
		<section class="impact" aria-label="What this would change" aria-live="polite">
			{isNone && <p class="impact-none">No booking to come is affected.</p>}
			<Part title="More booked than the maximum would be; all of them stay" part={over_capacity}>
				{over_capacity.items.map(({ time_slot_id, date, booked, max_bookings }) => (
					<li key={`${time_slot_id} ${date}`}>
						<a href={href('calendar', { service, slot: time_slot_id, on: date, date })}>{shortDate(date)}</a>: {booked}{' '}
						booked, {max_bookings === 0 ? 'closed' : `a maximum of ${max_bookings}`}
					</li>
				))}
			</Part>
			<Part title="Bookings of slots that would go; they stay as they were promised" part={retired}>
				{retired.items.map(({ booking_id, date, ...times }) => (
					<li key={booking_id}>
						{booking(booking_id)}: {shortDate(date)}, {span(times)}
					</li>
				))}
			</Part>
			<Part title="Bookings that were promised another time" part={out_of_step}>
				{out_of_step.items.map(({ booking_id, date, starts_at, scheduled_starts_at }) => (
					<li key={booking_id}>
						{booking(booking_id)}: {shortDate(date)}, promised {clock(starts_at)}, the schedule would say{' '}
						{scheduled_starts_at === null ? 'nothing' : clock(scheduled_starts_at)}
					</li>
				))}
			</Part>
		</section>
	);
}

interface PartProps {
	title: string;
	part: { total: number; items: unknown[] };
	children: ComponentChildren;
}

function Part({ title, part: { total, items }, children }: PartProps): VNode | null {
	if (total === 0) return null;
	return (
		<div class="impact-part">
			<p>
				<strong>{total}</strong> {title}
			</p>
			<ul>{children}</ul>
			{total > items.length && <p class="hint">And {total - items.length} more.</p>}
		</div>
	);
}
