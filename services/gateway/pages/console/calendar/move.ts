import { change, get } from '../api/client.ts';
import { NoAnswer, Refusal } from '../api/failures.ts';
import type { AvailabilityEntry, Booking } from '../api/shapes.ts';
import { tell } from '../parts/notices.tsx';
import { clock, longDate, shortDate, wallTime } from '../times.ts';

/** Minutes by which a drop may lie before the begin of what it is meant for */
const NEAR = 30;

/**
 * Moves a booking to the time at which it was dropped; where that cannot be, it is put back with the reason.
 * @param to as the clock of the service shows it
 */
export async function moveTo(
	booking: Booking,
	to: string,
	occurrences: AvailabilityEntry[],
	putBack: () => void,
): Promise<void> {
	const target = occurrenceAt(to, occurrences);
	if (target === undefined) {
		putBack();
		tell(`Nothing takes place on ${longDate(to)} at ${clock(to)}.`, 'failed');
		return;
	}
	if (target.time_slot_id === booking.time_slot_id && target.date === booking.date) {
		putBack();
		return;
	}
	try {
		await move(booking, target);
	} catch (error) {
		putBack();
		const { message } = error as Error;
		tell(error instanceof NoAnswer ? message : `Not moved. ${message}`, 'failed');
	}
}

export async function move(
	{ id, version }: Booking,
	{ date, time_slot_id, starts_at }: Pick<AvailabilityEntry, 'date' | 'time_slot_id' | 'starts_at'>,
	query: { ignore_rules?: boolean; alternatives?: number } = {},
): Promise<void> {
	const body = { date, time_slot_id };
	try {
		await change<Booking>('PATCH', `/v1/bookings/${id}`, { body, version, query });
	} catch (error) {
		// A browser sends again by itself what a connection lost, and meets its own move.
		if (!(error instanceof Refusal) || error.status !== 412) throw error;
		const now = await get<Booking>(`/v1/bookings/${id}`);
		if (now.date !== date || now.time_slot_id !== time_slot_id || now.status === 'cancelled') throw error;
	}
	tell(`Moved to ${shortDate(date)}, ${clock(starts_at)}.`);
}

/** What takes place at this time, or begins soon after it */
function occurrenceAt(time: string, occurrences: AvailabilityEntry[]): AvailabilityEntry | undefined {
	const at = Date.parse(`${time}Z`);
	const minutes = (moment: string) => (Date.parse(`${wallTime(moment)}Z`) - at) / 60_000;
	return occurrences
		.filter(({ starts_at, ends_at }) => minutes(starts_at) <= NEAR && minutes(ends_at) > 0)
		.sort((a, b) => Math.abs(minutes(a.starts_at)) - Math.abs(minutes(b.starts_at)))[0];
}
