import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkHistory } from './checker/check-history.ts';
import { damages } from './damages.ts';
import { directoryDamages } from './directory-damages.ts';
import { runModel } from './model/run-model.ts';

const inDirectory = Object.entries(directoryDamages).map(
	([name, damage]) => [name, { damage, rules: ['directory'] }] as const,
);

/** Histories that each bug is planted in: more with MODEL_RUNS */
const RUNS = Number(process.env.MODEL_RUNS ?? 25);

describe('T1: a good history with one planted bug', () => {
	test.each([...Object.entries(damages), ...inDirectory])(
		'When %s, then the checker finds it',
		(_, { damage, rules }) => {
			let damaged = 0;
			const property = fc.property(fc.integer(), fc.double({ min: 0, max: 0.999, noNaN: true }), (seed, choice) => {
				const { history } = runModel({ seed, requests: 30, crashes: 0.001 });
				fc.pre(damage(history, choice));
				damaged++;
				const found = checkHistory(history, { duration: Number.POSITIVE_INFINITY }).map(({ rule }) => rule);
				expect(rules.some((rule) => found.includes(rule))).toBe(true);
			});
			fc.assert(property, { numRuns: RUNS });
			expect(damaged).toBeGreaterThanOrEqual(RUNS);
		},
	);
});
