import { outcome } from '../workload/history.ts';
import type { Finding, Oracle } from './evidence.ts';

/** At rest, availability is what the bookings say, and a creation succeeds where it says so, and only there. */
export const rest: Oracle = ({ atRest }) => {
	const findings: Finding[] = [];
	for (const [account, { bookings, availability, trials }] of atRest.entries()) {
		const active = bookings.filter(({ status }) => status !== 'cancelled');
		const counts = Map.groupBy(active, ({ time_slot_id, date }) => `${time_slot_id} on ${date}`);
		for (const { time_slot_id, date, booked, max_bookings, bookable } of availability) {
			const place = `${time_slot_id} on ${date}`;
			const there = counts.get(place)?.length ?? 0;
			const isRight = booked === there && bookable === there < max_bookings;
			const what = `account ${account}: slot ${place} has ${there} of ${max_bookings}, shown ${booked}, ${bookable}`;
			if (!isRight) findings.push({ rule: 'availability is the bookings', what, operations: [] });
		}
		for (const { row, operation } of trials) {
			if ((outcome(operation) === 'done') === row.bookable) continue;
			const what = `slot ${row.time_slot_id} on ${row.date} was said to be ${row.bookable ? 'free' : 'full'}`;
			findings.push({ rule: 'availability is what can be booked', what, operations: [operation] });
		}
	}
	return findings;
};
