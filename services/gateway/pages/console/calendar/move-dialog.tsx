import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Refusal } from '../api/failures.ts';
import { useGet } from '../api/resource.ts';
import type { Alternative, AvailabilityEntry, Booking } from '../api/shapes.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Check, Field } from '../parts/field.tsx';
import { Empty, Shown } from '../parts/notices.tsx';
import { addDays, shortDate, span } from '../times.ts';
import { Alternatives } from './alternatives.tsx';
import { spoken } from './fill.ts';
import { move } from './move.ts';
import { nameOf } from './names.ts';

/** Days from the chosen one on whose times are offered */
const DAYS = 7;

interface Props {
	booking: Booking;
	onClose: () => void;
}

/** Moves a booking without a mouse; it offers what is full, too, for the provider decides. */
export function MoveDialog({ booking, onClose }: Props): VNode {
	const [from, setFrom] = useState(booking.date);
	const [chosen, setChosen] = useState<AvailabilityEntry | Alternative>();
	const [ignoreRules, setIgnoreRules] = useState(false);
	const [instead, setInstead] = useState<Alternative[]>([]);
	const availability = useGet<{ availability: AvailabilityEntry[] }>(
		from === '' ? undefined : `/v1/services/${booking.service_id}/availability`,
		{ from, to: from && addDays(from, DAYS - 1) },
	);
	const act = async () => {
		setInstead([]);
		try {
			await move(booking, chosen!, { alternatives: 5, ignore_rules: ignoreRules || undefined });
			onClose();
		} catch (error) {
			if (error instanceof Refusal) setInstead(error.alternatives);
			throw error;
		}
	};
	return (
		<Dialog
			title={`Move the booking of ${nameOf(booking)}`}
			action="Move"
			disabled={chosen === undefined}
			onAct={act}
			onClose={onClose}
		>
			<Field label="From date" type="date" value={from} required onValue={setFrom} />
			<Shown of={availability}>
				{({ availability: times }) =>
					times.length === 0 ? (
						<Empty title="Nothing takes place in these seven days" />
					) : (
						<fieldset class="times">
							<legend class="hidden">Time</legend>
							{times.map((entry) => (
								<Time
									key={`${entry.time_slot_id} ${entry.date}`}
									entry={entry}
									isChosen={isSame(entry, chosen)}
									isPresent={isSame(entry, booking)}
									onChoose={() => setChosen(entry)}
								/>
							))}
						</fieldset>
					)
				}
			</Shown>
			<Check label="Set the rules of the service aside" checked={ignoreRules} onValue={setIgnoreRules} />
			<Alternatives
				list={instead}
				onChoose={(alternative) => {
					setFrom(alternative.date);
					setChosen(alternative);
				}}
			/>
		</Dialog>
	);
}

interface TimeProps {
	entry: AvailabilityEntry;
	isChosen: boolean;
	isPresent: boolean;
	onChoose: () => void;
}

function Time({ entry, isChosen, isPresent, onChoose }: TimeProps): VNode {
	const { max_bookings: most, booked } = entry;
	return (
		<label class={isPresent ? 'time present' : 'time'}>
			<input
				type="radio"
				name="time"
				checked={isChosen}
				disabled={isPresent}
				aria-label={isPresent ? `${spoken(entry)}, where it is now` : spoken(entry)}
				onChange={onChoose}
			/>
			<span>{shortDate(entry.date)}</span>
			<span>{span(entry)}</span>
			<span class="hint">{isPresent ? 'now' : most === 0 ? 'closed' : `${booked} of ${most}`}</span>
		</label>
	);
}

function isSame(
	a: { date: string; time_slot_id: number },
	b: { date: string; time_slot_id: number } | undefined,
): boolean {
	return a.date === b?.date && a.time_slot_id === b.time_slot_id;
}
