import { describe, expect, test } from '@jest/globals';
import { promiseTable } from './promise-table.ts';
import { nothing, type Round } from './round.ts';

type Rule = Round['violations'][number]['rule'];

const BY_CHECKER = [
	...(['capacity', 'presence', 'refusals', 'customers', 'idempotency'] as const),
	...(['versions', 'events', 'replay', 'directory', 'reads', 'answers'] as const),
] satisfies Rule[];
const BROKEN: [Rule, Round['form']][] = [
	...BY_CHECKER.flatMap((rule) =>
		(['embedded', 'cluster'] as const).map((form): [Rule, Round['form']] => [rule, form]),
	),
	['contention', 'cluster'],
	['contract', 'commands'],
	['crash', 'crash'],
	['teeth', 'teeth'],
	['capacity', 'model'],
];

function round(form: Round['form'], rules: Rule[], summary: Partial<Round['summary']> = {}): Round {
	const violations = rules.map((rule) => ({ account: 'one', rule, text: 'wrong' }));
	return { seed: 1, form, slowestReady: 0, history: undefined, summary: { ...nothing, ...summary }, violations };
}

describe('the table of the promises in the report', () => {
	test.each(BROKEN)('When the rule of %s is broken, %s, then one must says so', (rule, form) => {
		const rows = promiseTable([round(form, [rule]), round(form, [])]);
		expect(rows.filter(({ violations }) => violations > 0)).toHaveLength(1);
		expect(rows.find(({ violations }) => violations > 0)!.violations).toBe(1);
	});

	test('When rounds were run, then their operations and faults are counted with the promises that they are about', () => {
		const faults = { 'SIGKILL booking': 3, 'hang redis': 2 };
		const kinds = { create: 30, update: 10, get: 5, list: 7 };
		const rounds = [
			round('cluster', [], { operations: 52, keyed: 9, kinds, events: 40, faults, contended: 1000 }),
			round('commands', [], { operations: 600 }),
		];
		const seen = promiseTable(rounds).map((row) => [row.promise, row.operations, row.faults]);
		expect(seen).toEqual([
			['L1', 1000, 0],
			['L1, L3, L8', 40, 5],
			['I2–I4', 9, 5],
			['V1–V3', 15, 5],
			['T1, W1', 40, 5],
			['T2', 52, 3],
			['T3', 52, 2],
			['T4', 600, 0],
		]);
	});
});
