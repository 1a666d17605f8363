import { dataOf, deletionsOf, outcome } from '../workload/history.ts';
import type { Booking, Evidence, Finding, Oracle } from './evidence.ts';

/** A refused request has no effect, an acknowledged one has (X2). Each request that writes leaves a mark of its own. */
export const effects: Oracle = (evidence) => {
	const findings: Finding[] = [];
	const seen = marksSeen(evidence);
	const byMark = Map.groupBy(
		evidence.history.operations.filter(({ mark }) => mark !== undefined),
		({ mark }) => mark!,
	);
	for (const [mark, operations] of byMark) {
		const outcomes = operations.map(outcome);
		const effect = seen.get(mark);
		if (effect !== undefined && outcomes.every((each) => each === 'refused')) {
			findings.push({ rule: 'refused = no effect', what: `${mark} was refused, and is ${effect}`, operations });
		}
		const [first] = operations;
		const isChange = outcomes.includes('done') && first!.foreign === undefined;
		if (isChange && effect === undefined) {
			findings.push({ rule: 'acknowledged = there', what: `${mark} was acknowledged, and is in no event`, operations });
		}
	}
	return [...findings, ...bookingsLost(evidence), ...madeTwice(evidence)];
};

/** A request has its effect once, however often it is sent under its key, or its answer is lost. */
function madeTwice({ atRest, history }: Evidence): Finding[] {
	const made = new Map<string, string[]>();
	const now = new Map<number, Booking>();
	const note = (mark: string | null, id: string) => mark && made.set(mark, [...(made.get(mark) ?? []), id]);
	for (const { id, data } of atRest.flatMap(({ events }) => events)) {
		const before = now.get(data.id);
		now.set(data.id, data);
		if (data.message !== before?.message) note(data.message, id);
		if (data.customer.name !== (before?.customer.name ?? null)) note(data.customer.name, id);
	}
	return [...made]
		.filter(([, ids]) => ids.length > 1)
		.map(([mark, ids]) => ({
			rule: 'one request = one effect',
			what: `${mark} was made in ${ids.join(' and ')}`,
			operations: history.operations.filter((operation) => operation.mark === mark),
		}));
}

/** Where each mark is seen; events only come from changes that were made. */
function marksSeen({ atRest, history }: Evidence): Map<string, string> {
	const seen = new Map<string, string>();
	const note = ({ message, customer }: Booking, where: string) => {
		for (const text of [message, customer.name]) if (text && !seen.has(text)) seen.set(text, where);
	};
	for (const { bookings, events } of atRest) {
		for (const { data, id } of events) note(data, `in event ${id}`);
		for (const booking of bookings) note(booking, `in booking ${booking.id}`);
	}
	for (const operation of history.operations) {
		if (operation.method !== 'GET') continue;
		if (operation.path === '/v1/usage') continue; // has bookings, too: their number
		const data = dataOf<{ bookings?: Booking[]; customer?: object; message?: string } & Booking>(operation);
		if (data?.customer !== undefined) note(data, `in the answer to ${operation.client} at ${operation.ended}`);
		for (const booking of data?.bookings ?? []) note(booking, `in a list of ${operation.client} at ${operation.ended}`);
	}
	return seen;
}

/** Each booking that a 201 told of is there at the end, unless somebody wanted to delete it. */
function bookingsLost({ history, atRest }: Evidence): Finding[] {
	const there = new Map(atRest.flatMap(({ bookings }) => bookings.map(({ id, service_id }) => [id, service_id])));
	const deletions = deletionsOf(history);
	const findings: Finding[] = [];
	for (const operation of history.operations) {
		if (operation.method !== 'POST' || operation.path !== '/v1/bookings') continue;
		const created = dataOf<Booking>(operation);
		if (created === undefined) continue;
		const paths = [`/v1/bookings/${created.id}`, `/v1/services/${created.service_id}`];
		const wanted = paths.flatMap((path) => deletions.get(path) ?? []);
		const ends = [`/v1/bookings/${created.id}`, `/v1/services/${there.get(created.id)}`]; // it may have moved to another service
		const isGone = ends.flatMap((path) => deletions.get(path) ?? []).some((each) => outcome(each) === 'done');
		if (!there.has(created.id) && wanted.every((each) => outcome(each) === 'refused')) {
			findings.push({
				rule: 'acknowledged = there',
				what: `booking ${created.id} is lost`,
				operations: [operation, ...wanted],
			});
		}
		if (there.has(created.id) && isGone) {
			findings.push({
				rule: 'deleted = gone',
				what: `booking ${created.id} is still there`,
				operations: [operation, ...wanted],
			});
		}
	}
	return findings;
}
