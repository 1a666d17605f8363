import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../api/client.ts';
import type { Booking } from '../api/shapes.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Area, Field } from '../parts/field.tsx';
import { tell } from '../parts/notices.tsx';
import { nameOf } from './names.ts';

interface Props {
	booking: Booking;
	onClose: () => void;
}

export function CancelDialog({ booking, onClose }: Props): VNode {
	const [reason, setReason] = useState('');
	const cancel = async () => {
		const body = { status: 'cancelled', cancel_reason: reason };
		await change<Booking>('PATCH', `/v1/bookings/${booking.id}`, { body, version: booking.version });
		tell('Cancelled; the place is free.');
		onClose();
	};
	return (
		<Dialog
			title={`Cancel the booking of ${nameOf(booking)}?`}
			action="Cancel the booking"
			danger
			onAct={cancel}
			onClose={onClose}
		>
			<Area label="Reason" value={reason} required maxLength={1000} onValue={setReason} />
			<p class="hint">The reason is kept with the booking, and sent to webhooks.</p>
		</Dialog>
	);
}

export function HoldDialog({ booking, onClose }: Props): VNode {
	const [minutes, setMinutes] = useState('30');
	const hold = async (hold_minutes: number | null) => {
		await change<Booking>('PATCH', `/v1/bookings/${booking.id}`, { body: { hold_minutes }, version: booking.version });
		tell(hold_minutes === null ? 'The hold was taken off.' : `Held for ${hold_minutes} minutes from now.`);
		onClose();
	};
	const beside = booking.expires_at !== null && (
		<Button writes onPress={() => hold(null)}>
			Take the hold off
		</Button>
	);
	return (
		<Dialog title="Hold this place" action="Hold" beside={beside} onAct={() => hold(Number(minutes))} onClose={onClose}>
			<Field
				label="Minutes from now"
				hint="Unless it is confirmed by then, the booking is cancelled and its place given back."
				type="number"
				min={1}
				max={10_080}
				required
				value={minutes}
				onValue={setMinutes}
			/>
		</Dialog>
	);
}
