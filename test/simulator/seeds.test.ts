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

	test('SIM1: When worlds run in two processes, then they are those of one process, told of in the same order', async () => {
		const digests = async (processes: string) => {
			const { output } = await simulate('--seeds', '3..5', '--minutes', '0.02', '--processes', processes);
			return [...output.matchAll(/^seed (\d+): .+, ([0-9a-f]{16})$/gm)].map(([, seed, digest]) => `${seed} ${digest}`);
		};
		const ofOne = await digests('1');
		expect(ofOne.map((each) => each.split(' ')[0])).toEqual(['3', '4', '5']);
		expect(await digests('2')).toEqual(ofOne);
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
