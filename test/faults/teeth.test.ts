import { describe, expect, test } from '@jest/globals';
import { whyNoProof } from '../proof/cluster.ts';
import { sabotages, trySabotage, whyNotTried } from '../proof/teeth/sabotages.ts';

describe('T1: the proof’s teeth', () => {
	for (const sabotage of sabotages) {
		const why = whyNotTried(sabotage, whyNoProof());
		(why === undefined ? test : test.skip)(
			`T1: When there is ${sabotage.name}, then it is found; without, nothing is${why ? ` (skipped: ${why})` : ''}`,
			async () => {
				expect(await trySabotage(sabotage)).toEqual([]);
			},
		);
	}
});
