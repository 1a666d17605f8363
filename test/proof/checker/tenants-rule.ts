import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { type History, ofKind } from '../history.ts';
import type { Findings } from './violation.ts';

/**
 * Another account's ids are unknown ones: whatever names them is answered 404, or not at all. And whatever the account's
 * feed and lists tell of is on a slot that was listed as its own.
 */
export function checkTenants({ operations, final }: History, findings: Findings): void {
	for (const { op, asked, outcome, answered } of ofKind(operations, 'trespass')) {
		if (outcome === 'unknown' || answered?.status === 404) continue;
		const answer = `${answered?.status} ${answered?.error ?? ''}`.trim();
		findings.add(`operation ${op}: ${asked.tried.kind} with ids of ${asked.on} was answered ${answer}`);
	}
	const listed = ofKind(operations, 'list slots').filter(({ outcome }) => outcome === 'ok');
	const own = new Set(listed.flatMap(({ answered }) => (answered!.data as TimeSlot[]).map(({ id }) => id)));
	const told = [...final.bookings, ...final.events.map(({ data }) => data)];
	const foreign = new Map(told.flatMap(({ id, time_slot_id }) => (own.has(time_slot_id) ? [] : [[id, time_slot_id]])));
	for (const [id, slot] of foreign) findings.add(`booking ${id} is on slot ${slot}, which is not the account's`);
}
