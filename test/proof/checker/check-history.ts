import type { History } from '../history.ts';
import { type AnswerLimits, checkAnswers } from './answers-rule.ts';
import { checkCapacity } from './capacity-rule.ts';
import { chroniclesOf } from './chronicle.ts';
import { checkCustomers } from './customers-rule.ts';
import { checkDirectory } from './directory-rule.ts';
import { checkEvents } from './events-rule.ts';
import { holdingsOf } from './holdings.ts';
import { checkIdempotency } from './idempotency-rule.ts';
import { narrowIntervals } from './intervals.ts';
import { findMakers } from './makers.ts';
import { maximaOf } from './maxima.ts';
import { checkPresence } from './presence-rule.ts';
import { checkReads } from './reads-rule.ts';
import { checkRefusals, customerKey, occupancy } from './refusals-rule.ts';
import { checkReplay } from './replay-rule.ts';
import { checkTenants } from './tenants-rule.ts';
import { checkVersions } from './versions-rule.ts';
import { Findings, type Rule, type Violation } from './violation.ts';

/**
 * Decides whether what the clients of an account saw, and what is there in the end, can be the doing of a correct system
 * (promise T1). Every rule compares intervals: an operation takes effect at some moment between its request and its answer,
 * so only what no choice of moments explains is a violation. A change without an answer is resolved by the final state:
 * where the feed or a later look shows it, it happened, at some moment between its request and that look.
 *
 * It takes O(n log n) in the operations and events; of one booking, its changes without an answer times its versions.
 */
export function checkHistory(history: History, limits: AnswerLimits = {}): Violation[] {
	const violations: Violation[] = [];
	const findings = (rule: Rule) => new Findings(rule, violations);
	const chronicles = chroniclesOf(history);
	checkEvents(history, chronicles.values(), findings('events'));
	findMakers(history, chronicles, findings('events'));
	narrowIntervals(history, chronicles, findings('versions'));
	checkVersions(chronicles.values(), findings('versions'));
	checkPresence(history, chronicles.values(), findings('presence'));
	checkIdempotency(history, findings('idempotency'));
	checkDirectory(history, chronicles, findings('directory'));

	const maxima = maximaOf(history);
	const holdings = holdingsOf(chronicles.values(), false);
	const customers = holdingsOf(chronicles.values(), true).filter(({ customer }) => customer !== null);
	checkCapacity(holdings, maxima, findings('capacity'));
	checkCustomers(customers, findings('customers'));
	checkReplay(history, maxima, findings('replay'));
	const grounds = {
		chronicles,
		maxima,
		occupied: occupancy(holdings, ({ place }) => place),
		customers: occupancy(customers, ({ place, customer }) => customerKey(place, customer!)),
	};
	checkRefusals(history, grounds, findings('refusals'));
	checkReads(history, holdings, grounds, findings('reads'));
	checkAnswers(history, limits, findings('answers'));
	checkTenants(history, findings('tenants'));
	return violations;
}
