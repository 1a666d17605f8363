import { call } from '../../shared/bus/call.ts';
import type { BookingReport, EventReport } from '../../shared/contract/reports.ts';
import { accountId, id } from '../line/arguments.ts';
import { accepted, assertKnownAccount, command } from '../line/command.ts';
import { count, table } from '../tables.ts';

/** The last ones; a booking has one more than it was changed */
const MOST_EVENTS = 50;

export const bookingsShow = command({
	name: 'bookings show',
	summary: 'a booking without its customer: what it was promised, its slot as it is now, its last events',
	parameters: {
		account: { meaning: 'Id of the account', parse: accountId },
		booking: { meaning: 'Id of the booking', parse: id },
	},
	options: {},
	needs: ['accounts', 'booking', 'catalog', 'notifications'],
	async run(broker, { account: account_id, booking: booking_id }) {
		await assertKnownAccount(broker, account_id);
		const report = accepted(await call(broker, 'booking.showBooking', { account_id, booking_id }));
		const last = { account_id, booking_id, limit: MOST_EVENTS };
		const events = accepted(await call(broker, 'notifications.tailEvents', last));
		return { data: { ...report, events }, text: textOf(report, events) };
	},
});

function textOf(booking: BookingReport, events: EventReport[]): string {
	const { promised, waiting_events } = booking;
	const seat = booking.seat === null ? 'no place' : `seat ${booking.seat}`;
	const rows = events.map(({ sequence, timestamp, type, id: event }) => [sequence, timestamp, type, event]);
	return [
		`Booking ${booking.booking_id} of account ${booking.account_id}: ${booking.status}, ${seat}, version ${booking.version}`,
		`time slot ${booking.time_slot_id} on ${booking.date}, service ${booking.service_id}`,
		`promised ${promised.starts_at} to ${promised.ends_at}, ${promised.timezone}`,
		slotText(booking),
		...(booking.expires_at === null ? [] : [`held until ${booking.expires_at}`]),
		`created ${booking.created_at}, changed ${booking.updated_at}`,
		...(waiting_events === 0 ? [] : [`${count(waiting_events, 'event')} on the way to the event log`]),
		'',
		events.length === 0 ? 'no events are kept' : table(['sequence', 'time', 'type', 'event'], rows),
	].join('\n');
}

function slotText({ slot_now: now, in_step }: BookingReport): string {
	if (now === null) return 'its time slot is gone';
	const max = `maximum ${now.max}${now.override_id === null ? '' : ` by date override ${now.override_id}`}`;
	if (now.starts_at === null) return `now its time slot is not on that date, ${max}`;
	if (in_step) return `its time slot is so now, ${max}`;
	return `now its time slot is ${now.starts_at} to ${now.ends_at}, ${now.timezone}, ${max}`;
}
