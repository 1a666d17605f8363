import type { TimeSlot, TimeSlotInput } from '../../../../../shared/contract/schemas/time-slot.ts';
import { addDays, weekday } from '../times.ts';

/** A time slot as a form has it */
export interface Row {
	/** Undefined for one that is to be made */
	id?: number;
	day: string;
	start: string;
	end: string;
	most: string;
	from: string;
	until: string;
}

export const EMPTY_ROW: Row = { day: '1', start: '09:00', end: '10:00', most: '1', from: '', until: '' };

/** Only the length says whether a slot ends on its day: this one lies before any that a calendar shows. */
const SOME_DAY = '2001-01-01';

export function rowOf({ id, day_of_week, start_time, end_time, max_bookings, valid_from, valid_until }: TimeSlot): Row {
	return {
		id,
		day: String(day_of_week),
		start: start_time.slice(11, 16),
		end: end_time.slice(11, 16),
		most: String(max_bookings),
		from: valid_from ?? '',
		until: valid_until ?? '',
	};
}

/**
 * The next date on which one of the slots begins; undefined where none does within a week.
 * @param now by the clock of the service: `2026-11-23T09:12:00`
 */
export function nextDate(rows: readonly Row[], now: string): string | undefined {
	const today = now.slice(0, 10);
	const first = rows.map(({ from }) => [today, from].sort()[1]!).sort()[0] ?? today;
	const dates = Array.from({ length: 8 }, (_, days) => addDays(first, days));
	return dates.find((date) =>
		rows.some(({ day, start, from, until }) => {
			const isValid = from <= date && (until === '' || date <= until);
			return Number(day) === weekday(date) && isValid && `${date}T${start}` > now;
		}),
	);
}

/** What ends at its start or before it ends on the next day. */
export function slotOf({ day, start, end, most, from, until }: Row): TimeSlotInput {
	const endsOn = end > start ? SOME_DAY : addDays(SOME_DAY, 1);
	return {
		day_of_week: Number(day),
		start_time: `${SOME_DAY} ${start}:00`,
		end_time: `${endsOn} ${end}:00`,
		max_bookings: Number(most),
		valid_from: from || null,
		valid_until: until || null,
	};
}

/**
 * The same as {@link slotOf}, but a slot that is known keeps the dates and seconds of its times where the form does not say
 * otherwise: a form that is sent back as it was changes nothing.
 */
export function slotAs(row: Row, known: TimeSlot | undefined): TimeSlotInput & { id?: number } {
	const slot = slotOf(row);
	if (known === undefined) return slot;
	const before = rowOf(known);
	const isSame = before.start === row.start && before.end === row.end;
	const times = isSame ? { start_time: known.start_time, end_time: known.end_time } : {};
	return { id: known.id, ...slot, ...times };
}
