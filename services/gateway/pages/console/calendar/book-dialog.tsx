import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { change, get } from '../api/client.ts';
import { NoAnswer, Refusal } from '../api/failures.ts';
import type { Alternative, AvailabilityEntry, Booking, Service } from '../api/shapes.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Area, Check, Choice, Field } from '../parts/field.tsx';
import { tell } from '../parts/notices.tsx';
import { useDraft } from '../parts/use-draft.ts';
import { useIdempotencyKey } from '../parts/use-idempotency-key.ts';
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
	const form = `book:${entry.time_slot_id}:${entry.date}`;
	const [place, setPlace] = useState<Place>(entry);
	const [name, setName] = useDraft(`${form}:name`, '');
	const [email, setEmail] = useDraft(`${form}:email`, '');
	const [phone, setPhone] = useDraft(`${form}:phone`, '');
	const [message, setMessage] = useDraft(`${form}:message`, '');
	const [kind, setKind] = useDraft(`${form}:kind`, 'confirmed');
	const [minutes, setMinutes] = useDraft(`${form}:minutes`, '30');
	const [ignoreRules, setIgnoreRules] = useDraft(`${form}:ignoreRules`, false);
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
	const key = useIdempotencyKey(form, JSON.stringify([body, query]));

	const book = async () => {
		setInstead([]);
		const asked = { query, body, idempotencyKey: key };
		const booking = await change<Booking>('POST', '/v1/bookings', asked).catch((error: unknown) => {
			if (error instanceof Refusal) setInstead(error.alternatives);
			throw error;
		});
		if (kind === 'confirmed') await confirm(booking);
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

/**
 * Confirms what was booked. It may be confirmed already: by this, where no answer came.
 * @throws Error which says that it is booked all the same
 */
async function confirm({ id, version }: Booking): Promise<void> {
	try {
		await change<Booking>('PATCH', `/v1/bookings/${id}`, { body: { status: 'confirmed' }, version });
	} catch (error) {
		const isUnclear = error instanceof NoAnswer || (error instanceof Refusal && error.status === 412);
		if (isUnclear && (await get<Booking>(`/v1/bookings/${id}`)).status === 'confirmed') return;
		const why = error instanceof NoAnswer ? 'No answer came: try once more.' : (error as Error).message;
		throw new Error(`It is booked, but not confirmed. ${why}`);
	}
}
