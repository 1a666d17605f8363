import { errorOf, type Operation, outcome } from '../workload/history.ts';
import { leastWall } from './clocks.ts';
import type { Finding, Oracle } from './evidence.ts';
import { type Holding, holdingsOf, statesOf } from './holdings.ts';

/**
 * Each `time slot is full` and each `duplicate booking` needs others that may have held the place at some moment of the
 * request, and that were not held until a moment that was past.
 */
export const refusals: Oracle = (evidence) => {
	const findings: Finding[] = [];
	const { history, tenants } = evidence;
	const maxima = new Map(tenants.flatMap(({ maxima: own }) => [...own]));
	const states = statesOf(evidence);
	const places = holdingsOf(states, false);
	const customers = holdingsOf(states, true);
	for (const operation of history.operations) {
		const error = errorOf(operation);
		if (operation.foreign !== undefined || (error !== 'time slot is full' && error !== 'duplicate booking')) continue;
		const { body, path, began, ended } = operation;
		const id = Number(path.split('/')[3]);
		const asked = body?.time_slot_id as number | undefined;
		const had = states.get(id)?.map(({ booking }) => booking.time_slot_id) ?? []; // one of these, where none is named
		const slots = new Set(asked === undefined ? had : [asked]);
		const date = body?.date as string | undefined;
		if (slots.size === 0 || (date === undefined && operation.method === 'POST')) continue;
		// Whose hold had ended by all clocks when the request began was in nobody's way (B6).
		const wall = leastWall(evidence.clocks, began, ended!);
		const may = (all: Holding[], of = slots) =>
			all.filter((each) => {
				const isThere = of.has(each.slot) && (date === undefined || each.date === date) && each.id !== id;
				return (
					isThere && each.parts.some(({ from, to, heldUntil }) => from <= ended! && to >= began && heldUntil > wall)
				);
			});
		if (error === 'time slot is full') {
			const isFull = (slot: number) => may(places, new Set([slot])).length >= (maxima.get(slot)?.least ?? 0);
			if ([...slots].some(isFull)) continue;
			const others = may(places);
			const least = [...slots].map((slot) => maxima.get(slot)?.least).join(' or ');
			const what = `at most ${others.length} of ${least} were taken`;
			findings.push({ rule: 'full only when full', what, operations: [operation, ...madeBy(others)] });
		} else {
			const email = (body?.customer_email ?? body?.email) as string | undefined;
			if (email === undefined || may(customers).some((each) => each.email === email)) continue;
			const what = `${email} had no other booking there`;
			findings.push({ rule: 'duplicate only of another', what, operations: [operation, ...madeBy(may(places))] });
		}
	}
	return findings;
};

function madeBy(holdings: Holding[]): Operation[] {
	return holdings.flatMap(({ operations }) => operations.filter((each) => outcome(each) !== 'refused')).slice(0, 6);
}
