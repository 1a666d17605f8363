import type { Finding, Oracle } from './evidence.ts';
import { type Holding, holdingsOf, statesOf } from './holdings.ts';

/**
 * At no moment does an occurrence have more active bookings than the highest maximum it ever had, or two of one customer. Only what must
 * have been so counts: a booking is there for sure from the answer to the request that made it to the next request that
 * may have ended it, and each state had a moment of its own between its request's call and answer.
 */
export const capacity: Oracle = (evidence) => {
	const findings: Finding[] = [];
	const states = statesOf(evidence);
	const maxima = new Map(evidence.tenants.flatMap(({ maxima: own }) => [...own]));
	const occurrences = Map.groupBy(holdingsOf(states, false), ({ slot, date }) => `slot ${slot} on ${date}`);
	for (const [occurrence, holdings] of occurrences) {
		const most = maxima.get(holdings[0]!.slot)?.most;
		const worst = together(holdings);
		if (most === undefined || worst.length <= most) continue;
		const operations = worst.flatMap((each) => each.operations);
		findings.push({ rule: 'capacity', what: `${occurrence} had ${worst.length} of ${most}`, operations });
	}
	const customers = Map.groupBy(
		holdingsOf(states, true).filter(({ email }) => email !== null),
		({ slot, date, email }) => `${email} on slot ${slot} on ${date}`,
	);
	for (const [customer, holdings] of customers) {
		const worst = together(holdings);
		if (worst.length < 2) continue;
		findings.push({
			rule: 'no duplicates',
			what: `${customer} twice`,
			operations: worst.flatMap((each) => each.operations),
		});
	}
	return findings;
};

/** The most that were there at one moment for sure: while one of them claimed its place, others held theirs. */
function together(holdings: Holding[]): Holding[] {
	let worst: Holding[] = [];
	for (const one of holdings) {
		const { from: earliest } = one.possible;
		const latest = one.sure.from;
		const others = holdings.filter((each) => each !== one && each.id !== one.id && covers(each, earliest, latest));
		const atItsEnd = holdings.filter(
			(each) => each.id !== one.id && one.sure.to > latest && covers(each, latest, latest),
		);
		for (const found of [others, atItsEnd]) if (found.length >= worst.length) worst = [one, ...found];
	}
	return worst;
}

function covers({ sure }: Holding, from: number, to: number): boolean {
	return sure.from <= from && sure.to >= to && Number.isFinite(to);
}
