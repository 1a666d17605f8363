import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../api/client.ts';
import { useGet } from '../api/resource.ts';
import type { Booking } from '../api/shapes.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icons.tsx';
import { Shown, tell } from '../parts/notices.tsx';
import { Panel } from '../parts/panel.tsx';
import { Badge } from '../parts/status.tsx';
import { adjust } from '../route.ts';
import { localMoment, longDate, span } from '../times.ts';
import { CancelDialog, HoldDialog } from './booking-dialogs.tsx';
import { BookingHistory } from './booking-history.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { nameOf } from './names.ts';

type Open = 'cancel' | 'hold' | 'move' | undefined;

/** One booking: who, when, what can be done, and what was done */
export function BookingPanel({ id }: { id: number }): VNode {
	const resource = useGet<Booking>(`/v1/bookings/${id}`);
	const booking = resource.data;
	const [open, setOpen] = useState<Open>();
	const close = () => setOpen(undefined);
	const back = () => adjust({ booking: undefined, slot: booking?.time_slot_id, on: booking?.date });
	return (
		<Panel
			of={`booking ${id}`}
			title={booking ? nameOf(booking) : 'Booking'}
			above={
				<button type="button" class="link" onClick={back}>
					<Icon name="previous" /> All bookings of this time
				</button>
			}
			onClose={() => adjust({ booking: undefined, slot: undefined, on: undefined })}
		>
			<Shown of={resource}>
				{(shown) => (
					<>
						<Facts booking={shown} />
						<Actions booking={shown} onOpen={setOpen} />
						<h3>History</h3>
						<BookingHistory booking={shown} />
						{open === 'cancel' && <CancelDialog booking={shown} onClose={close} />}
						{open === 'hold' && <HoldDialog booking={shown} onClose={close} />}
						{open === 'move' && <MoveDialog booking={shown} onClose={close} />}
					</>
				)}
			</Shown>
		</Panel>
	);
}

function Facts({ booking }: { booking: Booking }): VNode {
	const { status, expires_at, cancel_reason, customer, message, metadata } = booking;
	const rows: [string, string | null | undefined][] = [
		['When', `${longDate(booking.starts_at)}, ${span(booking)}`],
		['E-mail', customer.email],
		['Telephone', customer.phone],
		['Note', message],
		['Held until', status === 'pending' && expires_at !== null ? localMoment(expires_at) : null],
		['Cancelled because', status === 'cancelled' ? cancel_reason : null],
		...Object.entries(metadata),
		['Made', localMoment(booking.created_at)],
		['Number', String(booking.id)],
	];
	return (
		<>
			<p class="status-line">
				<Badge kind={status}>{status}</Badge>
			</p>
			<dl class="facts">
				{rows.map(
					([term, text]) =>
						text && (
							<div key={term}>
								<dt>{term}</dt>
								<dd>{text}</dd>
							</div>
						),
				)}
			</dl>
		</>
	);
}

function Actions({ booking, onOpen }: { booking: Booking; onOpen: (open: Open) => void }): VNode {
	const { id, status, version } = booking;
	const set = async (body: object, done: string) => {
		await change<Booking>('PATCH', `/v1/bookings/${id}`, { body, version });
		tell(done);
	};
	return (
		<div class="actions">
			{status === 'pending' && (
				<Button kind="main" writes onPress={() => set({ status: 'confirmed' }, 'Confirmed.')}>
					<Icon name="done" /> Confirm
				</Button>
			)}
			{status === 'pending' && (
				<Button writes onPress={() => onOpen('hold')}>
					Hold…
				</Button>
			)}
			<Button writes onPress={() => onOpen('move')}>
				Move…
			</Button>
			{status === 'cancelled' ? (
				<Button writes onPress={() => set({ status: 'pending' }, 'Booked again, pending.')}>
					Book again
				</Button>
			) : (
				<Button kind="danger" writes onPress={() => onOpen('cancel')}>
					Cancel…
				</Button>
			)}
		</div>
	);
}
