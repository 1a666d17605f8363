import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useGet } from '../api/resource.ts';
import type { BookingList, Service } from '../api/shapes.ts';
import { BookingPanel } from '../calendar/booking-panel.tsx';
import { nameOf } from '../calendar/names.ts';
import { Choice, Field } from '../parts/field.tsx';
import { Empty, Shown } from '../parts/notices.tsx';
import { Pager, ROWS } from '../parts/pager.tsx';
import { Badge } from '../parts/status.tsx';
import { href, idIn, route } from '../route.ts';
import { shortDate, span } from '../times.ts';

const STATUSES = [
	['', 'Any'],
	['pending', 'Pending'],
	['confirmed', 'Confirmed'],
	['cancelled', 'Cancelled'],
] as const;

const SORTS = [
	['-id', 'Newest first'],
	['starts_at', 'By time'],
	['-starts_at', 'By time, last first'],
	['-updated_at', 'Changed last first'],
] as const;

/** Every booking of a service, a page at a time: ten thousand are as smooth as ten. */
export function BookingsPage({ service }: { service: Service }): VNode {
	const [status, setStatus] = useState('');
	const [from, setFrom] = useState('');
	const [sort, setSort] = useState('-id');
	const [page, setPage] = useState(1);
	const list = useGet<BookingList>('/v1/bookings', {
		service_id: service.id,
		status,
		date_from: from,
		sort,
		page,
		page_size: ROWS,
	});
	const first = (set: (value: string) => void) => (value: string) => {
		setPage(1);
		set(value);
	};
	const open = idIn('booking');
	return (
		<div class="with-panel">
			<div class="calendar-side">
				<div class="toolbar">
					<Choice label="Status" value={status} options={STATUSES} onValue={first(setStatus)} />
					<Field label="From date" type="date" value={from} onValue={first(setFrom)} />
					<Choice label="Order" value={sort} options={SORTS} onValue={first(setSort)} />
				</div>
				<Shown of={list}>
					{({ bookings, pagination }) =>
						bookings.length === 0 && page === 1 ? (
							<Empty title="No bookings">
								{status || from ? <p>None that fit this choice.</p> : <p>Nobody has booked yet.</p>}
							</Empty>
						) : (
							<>
								<div class="table-box">
									<table class="table">
										<caption class="hidden">Bookings of {service.name}</caption>
										<thead>
											<tr>
												<th scope="col">Customer</th>
												<th scope="col">Date</th>
												<th scope="col">Time</th>
												<th scope="col">Status</th>
												<th scope="col" class="number">
													Number
												</th>
											</tr>
										</thead>
										<tbody>
											{bookings.map((booking) => (
												<tr key={booking.id}>
													<td>
														<a href={href('bookings', { ...route.value.params, booking: booking.id })}>
															{nameOf(booking)}
														</a>
													</td>
													<td>{shortDate(booking.date)}</td>
													<td>{span(booking)}</td>
													<td>
														<Badge kind={booking.status}>{booking.status}</Badge>
													</td>
													<td class="number">{booking.id}</td>
												</tr>
											))}
										</tbody>
									</table>
								</div>
								<Pager what="bookings" pagination={pagination} onPage={setPage} />
							</>
						)
					}
				</Shown>
			</div>
			{open !== undefined && <BookingPanel key={open} id={open} />}
		</div>
	);
}
