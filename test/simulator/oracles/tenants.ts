import { dataOf, errorOf, type Operation, outcome } from '../workload/history.ts';
import type { Booking, Finding, Oracle } from './evidence.ts';

/**
 * Nothing of one account is seen, taken, counted, delayed or refused because of another: what is another's is not found,
 * what is one's own is.
 */
export const tenants: Oracle = (evidence) => {
	const { history, atRest } = evidence;
	const findings: Finding[] = [];
	const ownerOfBooking = new Map<number, number>();
	const ownSlots = evidence.tenants.map(({ slots }) => new Set(slots.map(({ id }) => id)));
	const deletions = new Set<string>();
	for (const operation of history.operations) {
		const created =
			operation.path === '/v1/bookings' && operation.method === 'POST' ? dataOf<Booking>(operation) : undefined;
		if (created) {
			const owner = ownerOfBooking.get(created.id) ?? operation.account;
			ownerOfBooking.set(created.id, owner);
			if (owner !== operation.account) findings.push(found('one id for two accounts', operation));
		}
		if (operation.method === 'DELETE') deletions.add(operation.path);
	}
	for (const operation of history.operations) {
		const { foreign, answer, path } = operation;
		if (answer === undefined || answer.status >= 500 || answer.status === 429) continue;
		if (foreign !== undefined) {
			if (answer.status !== 404) findings.push(found(`${foreign} is not hidden`, operation));
			continue;
		}
		if (answer.status !== 404) continue;
		const slot = operation.body?.time_slot_id as number | undefined;
		if (slot !== undefined && ownSlots[operation.account]!.has(slot)) {
			findings.push(found(`an account's own slot is said not to be there: ${errorOf(operation)}`, operation));
		}
		const booking = path.match(/^\/v1\/bookings\/\d+/)?.[0];
		if (booking && !deletions.has(booking))
			findings.push(found('an own booking that nobody deleted is not found', operation));
	}
	for (const [account, { bookings, events }] of atRest.entries()) {
		for (const booking of [...bookings, ...events.map(({ data }) => data)]) {
			const owner = ownerOfBooking.get(booking.id);
			const isOwn = ownSlots[account]!.has(booking.time_slot_id) && (owner === undefined || owner === account);
			if (!isOwn)
				findings.push({ rule: RULE, what: `account ${account} is shown booking ${booking.id}`, operations: [] });
		}
	}
	return findings;

	function found(what: string, operation: Operation): Finding {
		return { rule: RULE, what, operations: [operation, ...sameMoment(history.operations, operation)] };
	}
};

const RULE = 'tenants apart (X1)';

/** What others asked for about the same thing meanwhile. */
function sameMoment(operations: Operation[], { id, began, ended, body, path, account }: Operation): Operation[] {
	const isSame = (other: Operation) =>
		body?.time_slot_id === undefined ? other.path === path : other.body?.time_slot_id === body.time_slot_id;
	return operations
		.filter((other) => other.id !== id && isSame(other) && other.began <= ended! && (other.ended ?? Infinity) >= began)
		.sort(
			(one, other) =>
				Number(one.account === account) - Number(other.account === account) || Number(outcome(one) < outcome(other)),
		)
		.slice(0, 6);
}
