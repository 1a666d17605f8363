import { certain, type Holding } from './holdings.ts';
import { customerKey } from './refusals-rule.ts';
import type { Findings } from './violation.ts';

/**
 * A customer has one active booking for a slot and date: no two bookings certainly held one place for one customer at
 * the same moment.
 */
export function checkCustomers(holdings: Holding[], findings: Findings): void {
	const identified = holdings.filter(({ customer }) => customer !== null);
	for (const [key, all] of Map.groupBy(identified, ({ place, customer }) => customerKey(place, customer!))) {
		const times = all
			.map((holding) => ({ ...certain(holding), booking: holding.booking }))
			.filter(({ since, until }) => since < until)
			.sort((a, b) => a.since - b.since);
		for (const [index, { since, booking }] of times.entries()) {
			const before = times[index - 1];
			if (!before || before.until <= since) continue;
			findings.add(`${key}: bookings ${before.booking} and ${booking} both active at ${since.toFixed(2)} ms`);
			break;
		}
	}
}
