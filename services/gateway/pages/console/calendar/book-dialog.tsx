import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../api/client.ts';
import { Refusal } from '../api/failures.ts';
import { newIdempotencyKey } from '../api/idempotency-key.ts';
import type { Alternative, AvailabilityEntry, Booking, Service } from '../api/shapes.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Area, Check, Choice, Field } from '../parts/field.tsx';
import { tell } from '../parts/notices.tsx';
import { adjust } from '../route.ts';
import { longDate, shortDate, span } from '../times.ts';
import { Alternatives } from './alternatives.tsx';

interface Props {
	service: Service;
	entry: AvailabilityEntry;
	onClose: () => void;
}

type Place = Pick<AvailabilityEntry, 'date' | 'time_slot_id' | 'starts_at' | 'ends_at'>;

const KINDS = [
	['confirmed', 'Confirmed'],
	['pending', 'Pending'],
	['held', 'Held for a while'],
] as const;

export function BookDialog({ service, entry, onClose }: Props): VNode {
	const [place, setPlace] = useState<Place>(entry);
	const [name, setName] = useState('');
	const [email, setEmail] = useState('');
	const [phone, setPhone] = useState('');
	const [message, setMessage] = useState('');
	const [kind, setKind] = useState('confirmed');
	const [minutes, setMinutes] = useState('30');
	const [ignoreRules, setIgnoreRules] = useState(false);
	const [instead, setInstead] = useState<Alternative[]>([]);
	const body = {
		date: place.date,
		time_slot_id: place.time_slot_id,
		customer_name: name || null,
		customer_email: email || null,
		customer_phone: phone || null,
		message: message || null,
		...(kind === 'held' ? { hold_minutes: Number(minutes) } : {}),
	};
	const query = { alternatives: 5, ignore_rules: ignoreRules || undefined };
	const [key, renewKey] = useKeyFor(JSON.stringify([body, query]));

	const book = async () => {
		setInstead([]);
		const asked = { query, body, idempotencyKey: key };
		const booking = await change<Booking>('POST', '/v1/bookings', asked).catch((error: unknown) => {
			if (error instanceof Refusal) setInstead(error.alternatives);
			throw error;
		});
		renewKey();
		if (kind === 'confirmed') {
			const confirmed = { body: { status: 'confirmed' }, version: booking.version };
			await change<Booking>('PATCH', `/v1/bookings/${booking.id}`, confirmed);
		}
		tell(`Booked: ${shortDate(place.date)}, ${span(place)}.`);
		onClose();
		adjust({ slot: place.time_slot_id, on: place.date, booking: undefined });
	};
	return (
		<Dialog title="New booking" action="Book" onAct={book} onClose={onClose}>
			<p class="what">
				<strong>{service.name}</strong>, {longDate(place.date)}, {span(place)}
			</p>
			<Field label="Name" value={name} maxLength={255} onValue={setName} />
			<div class="columns">
				<Field label="E-mail" type="email" value={email} maxLength={254} onValue={setEmail} />
				<Field
					label="Telephone"
					type="tel"
					value={phone}
					placeholder="+4930123456"
					pattern="\+[1-9][0-9]{1,14}"
					onValue={setPhone}
				/>
			</div>
			<Area label="Note" value={message} maxLength={1000} onValue={setMessage} />
			<div class="columns">
				<Choice label="Status" value={kind} options={KINDS} onValue={setKind} />
				{kind === 'held' && (
					<Field
						label="Minutes"
						type="number"
						hint="Then it is cancelled, unless it is confirmed"
						min={1}
						max={10_080}
						required
						value={minutes}
						onValue={setMinutes}
					/>
				)}
			</div>
			<Check label="Set the rules of the service aside" checked={ignoreRules} onValue={setIgnoreRules} />
			<Alternatives list={instead} onChoose={setPlace} />
		</Dialog>
	);
}

/** The same request has the same key, so that sending it again books once; another request has another. */
function useKeyFor(request: string): [key: string, renew: () => void] {
	const [known, setKnown] = useState({ request, key: newIdempotencyKey() });
	const renew = () => setKnown({ request, key: newIdempotencyKey() });
	if (known.request !== request) renew();
	return [known.key, renew];
}
