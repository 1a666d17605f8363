import type { Evidence, Finding, Oracle } from './evidence.ts';
import { statesOf } from './holdings.ts';

/** ms that a request may take, and what the way to the gateway may */
const LONGEST = 10_000 + 100;

/**
 * Nothing is carried out after its deadline (X13). What a request writes is sent to the store before it; what was sent
 * may land later. And a change comes after the one before it, and that one after its own
 * request began: where this was past the later change's deadline, it was carried out too late.
 */
export const deadlines: Oracle = (evidence) => {
	const findings = sentLate(evidence);
	for (const [id, states] of statesOf(evidence)) {
		for (const [index, { earliest, operations }] of states.entries()) {
			const last = Math.max(...operations.map(({ began }) => began));
			if (operations.length === 0 || earliest <= last + LONGEST) continue;
			const late = ((earliest - last) / 1000).toFixed(1);
			findings.push({
				rule: RULE,
				what: `version ${index + 1} of booking ${id} came ${late} s after it was asked for, or later`,
				operations: [...operations, ...states.slice(0, index).flatMap((each) => each.operations)].slice(0, 8),
			});
		}
	}
	return findings;
};

const RULE = 'nothing after its deadline (X13)';

function sentLate({ history, written }: Evidence): Finding[] {
	const byMark = Map.groupBy(history.operations, ({ body }) => body?.message);
	const findings: Finding[] = [];
	for (const [mark, sent] of written) {
		const operations = byMark.get(mark) ?? [];
		const last = Math.max(...operations.map(({ began }) => began));
		if (operations.length === 0 || sent <= last + LONGEST) continue;
		const what = `${mark} was sent to the store ${((sent - last) / 1000).toFixed(1)} s after it was asked for`;
		findings.push({ rule: RULE, what, operations });
	}
	return findings;
}
