import type { Finding, Oracle } from './evidence.ts';
import { statesOf } from './holdings.ts';

/** ms that a request may take, and what the way to the gateway may */
const LONGEST = 10_000 + 100;

/**
 * Nothing is carried out after its deadline (X13). A change comes after the one before it, and that one after its own
 * request began: where this was past the later change's deadline, it was carried out too late.
 */
export const deadlines: Oracle = (evidence) => {
	const findings: Finding[] = [];
	for (const [id, states] of statesOf(evidence)) {
		for (const [index, { earliest, operations }] of states.entries()) {
			const last = Math.max(...operations.map(({ began }) => began));
			if (operations.length === 0 || earliest <= last + LONGEST) continue;
			const late = ((earliest - last) / 1000).toFixed(1);
			findings.push({
				rule: 'nothing after its deadline (X13)',
				what: `version ${index + 1} of booking ${id} came ${late} s after it was asked for, or later`,
				operations: [...operations, ...states.slice(0, index).flatMap((each) => each.operations)].slice(0, 8),
			});
		}
	}
	return findings;
};
