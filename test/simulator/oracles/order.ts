import type { AtRest, Booking, Evidence, Finding, Oracle } from './evidence.ts';

/** The log of events: no gap in its sequence, versions that grow by one, and at its end what the lists show. */
export const order: Oracle = (evidence) =>
	evidence.atRest.flatMap((atRest, account) => read(evidence, atRest, account));

function read(evidence: Evidence, { events, bookings }: AtRest, account: number): Finding[] {
	const findings: Finding[] = [];
	const now = new Map<number, Booking>();
	const gone = new Set<number>();
	const found = (rule: string, what: string, id: number) => {
		findings.push({ rule, what: `account ${account}, booking ${id}: ${what}`, operations: about(evidence, id) });
	};
	for (const [index, { type, sequence, data }] of events.entries()) {
		const { id } = data;
		if (sequence !== index + 1) found('sequence without a gap', `${sequence} at ${index + 1}`, id);
		const expected = (now.get(id)?.version ?? 0) + 1;
		if (gone.has(id)) found('deleted = gone', `${type} after it was deleted`, id);
		else if (data.version !== expected)
			found('versions grow by one', `${type} of version ${data.version}, not ${expected}`, id);
		now.set(id, data);
		if (type === 'booking.deleted') gone.add(id);
	}
	const listed = new Map(bookings.map((booking) => [booking.id, booking]));
	for (const [id, booking] of now) {
		if (gone.has(id)) {
			if (listed.has(id)) found('events tell what lists show', 'deleted, and listed', id);
			continue;
		}
		const [told, shown] = [JSON.stringify(booking), JSON.stringify(listed.get(id))];
		if (told !== shown) found('events tell what lists show', `${told}, listed ${shown}`, id);
	}
	for (const id of listed.keys())
		if (!now.has(id)) found('an event for each change', 'is listed, and has no event', id);
	return findings;
}

/** What clients did to a booking. */
export function about({ history }: Evidence, id: number): Evidence['history']['operations'] {
	const own = new RegExp(`^/v1/bookings/${id}(/|$)`);
	return history.operations
		.filter(({ path, answer, method }) => {
			const created = (answer?.body as { data?: { id?: number } } | undefined)?.data?.id;
			return method !== 'GET' && (own.test(path) || (path === '/v1/bookings' && created === id));
		})
		.slice(-12);
}
