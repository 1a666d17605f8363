import { whyNoProof } from '../cluster.ts';
import { nothing, type Round } from '../round.ts';
import { sabotages, trySabotage, whyNotTried } from './sabotages.ts';

/**
 * The proof of the proof: products that are broken on purpose, each of which must be found.
 * @param form `embedded`: those that need no other server only
 */
export async function teethRound(seed: number, form: 'embedded' | 'cluster'): Promise<Round> {
	const missing = form === 'cluster' ? whyNoProof() : 'redis-server is not asked for';
	const violations: Round['violations'] = [];
	const faults: Record<string, number> = {};
	for (const sabotage of sabotages) {
		if (whyNotTried(sabotage, missing) !== undefined) continue;
		faults[`sabotage: ${sabotage.name}`] = 1;
		const wrong = await trySabotage(sabotage);
		violations.push(...wrong.map((text) => ({ account: sabotage.name, rule: 'teeth' as const, text })));
	}
	const operations = 2 * Object.keys(faults).length;
	const summary = { ...nothing, operations, faults };
	return { seed, form: 'teeth', slowestReady: 0, history: undefined, summary, violations };
}
