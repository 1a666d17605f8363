import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useGet } from '../api/resource.ts';
import type { AvailabilityEntry, Booking, BookingList, Service } from '../api/shapes.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icons.tsx';
import { Empty, Shown } from '../parts/notices.tsx';
import { grouped } from '../parts/numbers.ts';
import { Pager, ROWS } from '../parts/pager.tsx';
import { Panel } from '../parts/panel.tsx';
import { Badge } from '../parts/status.tsx';
import { adjust, href, route } from '../route.ts';
import { longDate, span } from '../times.ts';
import { BookDialog } from './book-dialog.tsx';
import { FILLS, fillOf } from './fill.ts';
import { nameOf } from './names.ts';

interface Props {
	service: Service;
	slot: number;
	date: string;
}

/** A time slot on one date: how full it is, and who comes */
export function OccurrencePanel({ service, slot, date }: Props): VNode {
	const [page, setPage] = useState(1);
	/** As it was when its form was opened: that stays, with what is typed into it, whatever becomes of the slot meanwhile. */
	const [booked, setBooked] = useState<AvailabilityEntry>();
	const asked = { from: date, to: date, time_slot_id: slot };
	const availability = useGet<{ availability: AvailabilityEntry[] }>(`/v1/services/${service.id}/availability`, asked);
	const listed = { service_id: service.id, time_slot_id: slot, date, page, page_size: ROWS };
	const bookings = useGet<BookingList>('/v1/bookings', listed);
	const entry = availability.data?.availability[0];
	const close = () => adjust({ slot: undefined, on: undefined, booking: undefined });
	return (
		<Panel
			of={`${slot} ${date}`}
			title={entry ? span(entry) : 'Occurrence'}
			above={<p class="above">{longDate(date)}</p>}
			onClose={close}
		>
			<Shown of={availability}>
				{() =>
					entry === undefined ? (
						<Empty title="Nothing takes place then any more" />
					) : (
						<>
							<Filling entry={entry} />
							<div class="actions">
								<Button kind="main" writes onPress={() => setBooked(entry)}>
									<Icon name="plus" /> Book
								</Button>
								<a class="button plain" href={href('closures', { service: service.id, from: date, slot })}>
									Close this day…
								</a>
							</div>
						</>
					)
				}
			</Shown>
			<h3>Bookings</h3>
			<Shown of={bookings}>
				{({ bookings: rows, pagination }) => (
					<>
						{rows.length === 0 && page === 1 && <Empty title="Nobody has booked yet" />}
						<ul class="rows">
							{rows.map((booking) => (
								<BookingRow key={booking.id} booking={booking} />
							))}
						</ul>
						<Pager what="bookings" pagination={pagination} onPage={setPage} />
					</>
				)}
			</Shown>
			{booked && <BookDialog service={service} entry={booked} onClose={() => setBooked(undefined)} />}
		</Panel>
	);
}

function Filling({ entry }: { entry: AvailabilityEntry }): VNode {
	const { booked, max_bookings: most, remaining, override_id } = entry;
	const fill = fillOf(entry);
	return (
		<div class={`filling ${fill}`}>
			<p>
				<strong>{most === 0 ? 'Closed' : `${grouped(booked)} of ${grouped(most)}`}</strong>
				{most > 0 && ` booked, ${grouped(remaining)} free`}
				{most === 0 && booked > 0 && `, ${booked} booked`}
				<Badge kind={fill}>{FILLS[fill]}</Badge>
			</p>
			<meter min={0} max={Math.max(1, most)} value={Math.min(booked, most)} aria-label="How full it is" />
			{entry.reason === 'notice' && <p class="hint">By the rules of the service it is too late to book.</p>}
			{entry.reason === 'horizon' && <p class="hint">By the rules of the service it is too early to book.</p>}
			{override_id !== null && <p class="hint">On this date another maximum holds than in other weeks.</p>}
		</div>
	);
}

function BookingRow({ booking }: { booking: Booking }): VNode {
	const { params } = route.value;
	return (
		<li>
			<a class="row" href={href('calendar', { ...params, booking: booking.id })}>
				<span>
					<span class="row-title">{nameOf(booking)}</span>
					{booking.message && <span class="row-note">{booking.message}</span>}
				</span>
				<Badge kind={booking.status}>
					{booking.expires_at && booking.status === 'pending' ? 'held' : booking.status}
				</Badge>
			</a>
		</li>
	);
}
