import { dataOf, deletionsOf, errorOf, type Operation, outcome } from '../workload/history.ts';
import type { Booking, Finding, Oracle } from './evidence.ts';

/**
 * Nothing of one account is seen, taken, counted, delayed or refused because of another: what is another's is not found,
 * what is one's own is.
 */
export const tenants: Oracle = (evidence) => {
	const { history, atRest } = evidence;
	const findings: Finding[] = [];
	const ownerOfBooking = new Map<number, number>();
	const ownSlots = evidence.tenants.map(({ maxima }) => maxima);
	const deletions = deletionsOf(history);
	const serviceOf = new Map<string, number>();
	/** Somebody of the account may have deleted it by then */
	const mayBeGone = (path: string, by: Operation) =>
		(deletions.get(path) ?? []).some(({ began }) => began <= by.ended!);
	for (const operation of history.operations) {
		const created =
			operation.path === '/v1/bookings' && operation.method === 'POST' ? dataOf<Booking>(operation) : undefined;
		if (created) {
			const owner = ownerOfBooking.get(created.id) ?? operation.account;
			ownerOfBooking.set(created.id, owner);
			serviceOf.set(`/v1/bookings/${created.id}`, created.service_id);
			if (owner !== operation.account) findings.push(found('one id for two accounts', operation));
		}
	}
	for (const operation of history.operations) {
		const { foreign, answer, path } = operation;
		if (answer === undefined || answer.status >= 500 || answer.status === 429) continue;
		if (foreign !== undefined) {
			if (answer.status !== 404) findings.push(found(`${foreign} is not hidden`, operation));
			continue;
		}
		if (answer.status !== 404) continue;
		const isOfSlot = errorOf(operation) === 'time slot not found'; // a move may find neither it nor its booking
		const slot = isOfSlot ? (operation.body?.time_slot_id as number | undefined) : undefined;
		const own = slot === undefined ? undefined : ownSlots[operation.account]!.get(slot);
		const mayBeRetired = isOfSlot && schedulesBefore(history.operations, operation, own?.service_id);
		if (own && !mayBeRetired && !mayBeGone(`/v1/services/${own.service_id}`, operation)) {
			findings.push(found(`an account's own slot is said not to be there: ${errorOf(operation)}`, operation));
		}
		const booking = path.match(/^\/v1\/bookings\/\d+/)?.[0];
		const paths = booking ? [booking, `/v1/services/${serviceOf.get(booking)}`] : [];
		if (booking && !mayBeRetired && !paths.some((each) => mayBeGone(each, operation)))
			findings.push(found('an own booking that nobody deleted is not found', operation));
	}
	for (const [account, { bookings, events }] of atRest.entries()) {
		for (const booking of [...bookings, ...events.map(({ data }) => data)]) {
			const owner = ownerOfBooking.get(booking.id);
			const isOwn = (owner ?? account) === account && !isOthers(booking.time_slot_id, account);
			if (!isOwn)
				findings.push({ rule: RULE, what: `account ${account} is shown booking ${booking.id}`, operations: [] });
		}
	}
	return findings;

	function isOthers(slot: number, account: number): boolean {
		return ownSlots.some((own, other) => other !== account && own.has(slot));
	}

	function found(what: string, operation: Operation): Finding {
		return { rule: RULE, what, operations: [operation, ...sameMoment(history.operations, operation)] };
	}
};

/** Whether its account may have replaced a schedule by then: of this service, or of any. */
function schedulesBefore(operations: Operation[], { account, ended }: Operation, service?: number): boolean {
	const path = service === undefined ? /\/schedule$/ : new RegExp(`/${service}/schedule$`);
	return operations.some(
		(each) => each.method === 'PUT' && each.account === account && path.test(each.path) && each.began <= ended!,
	);
}

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
