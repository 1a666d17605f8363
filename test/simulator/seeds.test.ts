import { describe, expect, test } from '@jest/globals';
import { simulate } from './support/simulate.ts';

/** Worlds of a few seconds each; a night runs thousands. */
const SEEDS = Number(process.env.SIMULATED_SEEDS ?? 8);

describe('The simulator', () => {
	test('SIM1: When a seed runs twice, then its history is the same, byte for byte', async () => {
		const { code, output } = await simulate('--seeds', '1..2', '--minutes', '0.05', '--twice');
		expect(output).toContain('seed 2 again: the same, byte for byte');
		expect(code).toBe(0);
	});

	test(`SIM3: When ${SEEDS} worlds run, then no oracle finds anything`, async () => {
		const { code, output } = await simulate('--seeds', `101..${100 + SEEDS}`, '--minutes', '0.05');
		expect(output).toContain(`${SEEDS} seeds, 0 with something wrong`);
		expect(code).toBe(0);
	});

	test('When the command is not understood, then it says so, and nothing runs', async () => {
		const { code, output } = await simulate('--seeds', 'all');
		expect(output).toContain('--seeds takes two numbers');
		expect(code).toBe(2);
	});
});
