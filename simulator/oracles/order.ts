import type { Slot } from '../workload/tenant.ts';
import { type AtRest, type Booking, type Event, type Evidence, type Finding, isActive, type Oracle, occurrenceOf } from './evidence.ts';

/**
 * Every moment of the order of events obeys capacity and duplicates (X3): they are played one by one. Versions grow by
 * one, sequences have no gap, and at the end the events tell what the lists show.
 */
export const order: Oracle = (evidence) => evidence.atRest.flatMap((atRest, account) => played(evidence, atRest, account));

function played(evidence: Evidence, { events, bookings }: AtRest, account: number): Finding[] {
	const findings: Finding[] = [];
	const slots = new Map(evidence.tenants[account]!.slots.map((slot) => [slot.id, slot]));
	const now = new Map<number, Booking>();
	const found = (rule: string, what: string, ids: number[]) => {
		findings.push({ rule, what: `account ${account}: ${what}`, operations: about(evidence, ids) });
	};
	for (const [index, event] of events.entries()) {
		const { data } = event;
		if (event.sequence !== index + 1) found('sequence without a gap', `${event.sequence} at ${index + 1}`, [data.id]);
		const before = now.get(data.id);
		const expected = before === undefined ? 1 : before.version + 1;
		if (data.version !== expected) {
			found('versions grow by one', `booking ${data.id}: ${event.type} of version ${data.version}, not ${expected}`, [data.id]);
		}
		if (event.type === 'booking.deleted') now.delete(data.id);
		else now.set(data.id, data);
		judge(event, now, slots, found);
	}
	const listed = new Map(bookings.map((booking) => [booking.id, booking]));
	for (const [id, booking] of now) {
		const { version } = listed.get(id) ?? {};
		if (version !== booking.version) found('events tell what lists show', `booking ${id}: ${booking.version}, listed ${version}`, [id]);
	}
	for (const id of listed.keys()) if (!now.has(id)) found('events tell what lists show', `booking ${id} has no event`, [id]);
	return findings;
}

function judge(
	{ data, sequence }: Event,
	now: Map<number, Booking>,
	slots: Map<number, Slot>,
	found: (rule: string, what: string, ids: number[]) => void,
): void {
	if (!isActive(data) || !now.has(data.id)) return;
	const occurrence = occurrenceOf(data);
	const together = [...now.values()].filter((each) => isActive(each) && occurrenceOf(each) === occurrence);
	const most = slots.get(data.time_slot_id)?.max_bookings ?? 0;
	const ids = together.map(({ id }) => id);
	if (together.length > most) found('capacity', `${occurrence} has ${together.length} of ${most} at event ${sequence}`, ids);
	const { email } = data.customer;
	const same = together.filter((each) => email !== null && each.customer.email?.toLowerCase() === email.toLowerCase());
	if (same.length > 1) found('no duplicates', `${email} twice on ${occurrence} at event ${sequence}`, same.map(({ id }) => id));
}

/** What clients did to these bookings. */
function about({ history }: Evidence, ids: number[]): Evidence['history']['operations'] {
	const paths = ids.map((id) => new RegExp(`^/v1/bookings/${id}(/|$)`));
	return history.operations
		.filter(({ path, answer }) => {
			const created = (answer?.body as { data?: { id?: number } } | undefined)?.data?.id;
			return paths.some((each) => each.test(path)) || (path === '/v1/bookings' && ids.includes(created ?? -1));
		})
		.filter(({ method }) => method !== 'GET')
		.slice(-12);
}
