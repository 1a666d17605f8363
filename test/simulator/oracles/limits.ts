import { type Operation, outcome } from '../workload/history.ts';
import type { Evidence, Finding, Oracle } from './evidence.ts';

/** ms before a process' end from which on a reservation of it may have been lost with it */
const UNDER_WAY = 15_000;

/**
 * A plan's numbers are not exceeded, and nothing but a crash costs quota (X16): what the month counted is what was made.
 */
export const limits: Oracle = (evidence) => {
	const findings: Finding[] = [];
	for (const [account, { events, usage, services }] of evidence.atRest.entries()) {
		const { bookingsLimit, servicesLimit } = evidence.tenants[account]!;
		const created = events.filter(({ type }) => type === 'booking.created').length;
		const found = (rule: string, what: string, operations: Operation[] = []) =>
			findings.push({ rule, what: `account ${account}: ${what}`, operations });
		if (created > bookingsLimit) found('plan limits', `${created} bookings of ${bookingsLimit}`);
		if (services.length > servicesLimit) found('plan limits', `${services.length} services of ${servicesLimit}`);
		if (usage === undefined) continue;
		const { used } = usage.bookings;
		const lost = lostWithProcesses(evidence, account);
		if (used < created) found('quota counts all', `${created} bookings were made, ${used} counted`);
		if (used > created + lost.length) {
			const what = `${used} counted, ${created} made, at most ${lost.length} lost with a process`;
			found('a lost answer costs no quota (X16)', what, unanswered(evidence, account));
		}
	}
	return findings;
};

/** Creations that may have died with a process that counts. */
function lostWithProcesses({ history, ends }: Evidence, account: number): Operation[] {
	const deaths = ends.filter(({ services }) => /booking|accounts/.test(services));
	return creations(history.operations, account).filter(({ began, ended = Number.POSITIVE_INFINITY }) =>
		deaths.some(({ at }) => began <= at && ended >= at - UNDER_WAY),
	);
}

function unanswered({ history }: Evidence, account: number): Operation[] {
	return creations(history.operations, account)
		.filter((each) => outcome(each) === 'unknown')
		.slice(0, 8);
}

function creations(operations: Operation[], account: number): Operation[] {
	return operations.filter(
		(each) => each.account === account && each.method === 'POST' && each.path === '/v1/bookings',
	);
}
