import { dataOf, errorOf, type Operation, outcome } from '../workload/history.ts';
import type { Booking, Finding, Oracle } from './evidence.ts';

/**
 * Each `time slot is full` and `duplicate booking` needs others that may have held the place at some moment of the
 * request: bookings that were made, or may have been, before it ended.
 */
export const refusals: Oracle = ({ history, tenants, atRest }) => {
	const findings: Finding[] = [];
	const maxima = new Map(tenants.flatMap(({ slots }) => slots.map(({ id, max_bookings }) => [id, max_bookings])));
	/** Everything that may ever have been on an occurrence; no account has another's slots */
	const everOn = new Map<string, Map<string, { since: number; email: string | null | undefined }>>();
	const put = (slot: number, date: string, who: string, since: number, email: string | null | undefined) => {
		const key = `${slot} ${date}`;
		const all = everOn.get(key) ?? new Map();
		everOn.set(key, all);
		// One booking may have had several addresses: each is one more that may have been there, for duplicates only.
		const known = all.get(who);
		if (known === undefined || since < known.since) all.set(who, { since, email });
		if (known !== undefined && known.email !== email) all.set(`${who} ${email}`, { since, email });
	};
	for (const operation of history.operations) {
		const { body, began, path, method } = operation;
		if (method === 'POST' && path === '/v1/bookings' && outcome(operation) !== 'refused' && operation.foreign === undefined) {
			const created = dataOf<Booking>(operation);
			const who = created ? `booking ${created.id}` : `mark ${operation.mark}`;
			put(body!.time_slot_id as number, body!.date as string, who, began, body!.customer_email as string | undefined);
		}
	}
	const slotOf = new Map<number, number>();
	for (const { bookings, events } of atRest) {
		for (const each of [...events.map(({ data }) => data), ...bookings]) {
			slotOf.set(each.id, each.time_slot_id);
			put(each.time_slot_id, each.date, `booking ${each.id}`, Number.NEGATIVE_INFINITY, each.customer.email);
		}
	}
	for (const operation of history.operations) {
		const error = errorOf(operation);
		if (operation.foreign !== undefined || (error !== 'time slot is full' && error !== 'duplicate booking')) continue;
		const { slot, date } = occurrenceOf(operation);
		if (slot === undefined || date === undefined) continue;
		const may = [...(everOn.get(`${slot} ${date}`)?.values() ?? [])].filter(({ since }) => since <= operation.ended!);
		if (error === 'time slot is full' && may.length < maxima.get(slot)!) {
			findings.push({ rule: 'full only when full', what: `at most ${may.length} of ${maxima.get(slot)}`, operations: [operation] });
		}
		const email = operation.body?.customer_email;
		if (error === 'duplicate booking' && operation.method === 'POST' && !may.some((each) => each.email === email)) {
			findings.push({ rule: 'duplicate only of another', what: `nobody else was ${email}`, operations: [operation] });
		}
	}
	return findings;

	function occurrenceOf({ body, path }: Operation): { slot: number | undefined; date: string | undefined } {
		const slot = (body?.time_slot_id as number | undefined) ?? slotOf.get(Number(path.split('/')[3]));
		return { slot, date: body?.date as string | undefined };
	}
};
