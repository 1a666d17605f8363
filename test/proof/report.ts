import { writeFileSync } from 'node:fs';
import { promiseTable } from './promise-table.ts';
import type { Round } from './round.ts';

interface Totals {
	rounds: number;
	operations: number;
	ok: number;
	refused: number;
	unknown: number;
	acknowledged: number;
	events: number;
	faults: Record<string, number>;
	slowestReady: number;
	violations: number;
}

/** Writes `report.json` and `report.md`, anew after each round, so that a run that is broken off has one too. */
export function writeReport(directory: string, about: Record<string, string>, rounds: readonly Round[]): void {
	const promises = promiseTable(rounds);
	writeFileSync(`${directory}/report.json`, `${JSON.stringify({ about, promises, rounds }, null, '\t')}\n`);
	writeFileSync(`${directory}/report.md`, markdown(about, rounds));
}

function markdown(about: Record<string, string>, rounds: readonly Round[]): string {
	const forms = [...new Set(rounds.map(({ form }) => form))];
	const columns = forms.map((form) => totals(rounds.filter((round) => round.form === form)));
	const row = (name: string, value: (of: Totals) => number) => [
		name,
		...columns.map((of) => value(of).toLocaleString('en')),
	];
	const violations = rounds.flatMap((round) => round.violations.map((violation) => ({ round, violation })));
	return [
		'# Report of the proof',
		'',
		`**Violations: ${violations.length}**`,
		'',
		...Object.entries(about).map(([name, value]) => `- ${name}: ${value}`),
		'',
		...table(
			['', ...forms],
			[
				row('rounds', (of) => of.rounds),
				row('operations', (of) => of.operations),
				row('succeeded', (of) => of.ok),
				row('refused', (of) => of.refused),
				row('without an answer, or 5xx', (of) => of.unknown),
				row('bookings acknowledged', (of) => of.acknowledged),
				row('events', (of) => of.events),
				row('slowest return to /readyz, ms', (of) => Math.round(of.slowestReady)),
				row('violations', (of) => of.violations),
			],
		),
		'',
		'## The promises',
		'',
		...promises(rounds),
		'',
		'The other promises have tests of their own: `npm test`, `npm run test:cluster`, `npm run test:faults`.',
		'',
		'## The faults',
		'',
		...faultTable(forms, columns),
		...(violations.length > 0 ? ['## The violations', ''] : []),
		...violations.map(({ round, violation: { account, rule, text } }) => {
			const where = round.history === undefined ? '' : `, history ${round.history}`;
			return `- ${round.form}, seed ${round.seed}, ${account}: **${rule}**: ${text}${where}`;
		}),
		'',
	].join('\n');
}

function promises(rounds: readonly Round[]): string[] {
	const rows = promiseTable(rounds).map(({ promise, checked, operations, faults, violations }) => [
		promise,
		checked,
		...[operations, faults, violations].map((count) => count.toLocaleString('en')),
	]);
	return table(['promise', 'checked', 'operations', 'faults', 'violations'], rows, 2);
}

function faultTable(forms: string[], columns: Totals[]): string[] {
	const kinds = [...new Set(columns.flatMap(({ faults }) => Object.keys(faults)))].sort();
	if (kinds.length === 0) return [];
	const rows = kinds.map((kind) => [kind, ...columns.map(({ faults }) => String(faults[kind] ?? 0))]);
	return [...table(['fault', ...forms], rows), ''];
}

/** @param texts columns at the left that are no numbers */
function table(head: string[], rows: string[][], texts = 1): string[] {
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	return [line(head), line(head.map((_, index) => (index < texts ? '---' : '---:'))), ...rows.map(line)];
}

function totals(rounds: readonly Round[]): Totals {
	const sum = (value: (round: Round) => number) => rounds.reduce((total, round) => total + value(round), 0);
	const faults: Record<string, number> = {};
	for (const { summary } of rounds) {
		for (const [kind, count] of Object.entries(summary.faults)) faults[kind] = (faults[kind] ?? 0) + count;
	}
	return {
		rounds: rounds.length,
		operations: sum(({ summary }) => summary.operations),
		ok: sum(({ summary }) => summary.ok),
		refused: sum(({ summary }) => summary.refused),
		unknown: sum(({ summary }) => summary.unknown),
		acknowledged: sum(({ summary }) => summary.acknowledged),
		events: sum(({ summary }) => summary.events),
		faults,
		slowestReady: Math.max(0, ...rounds.map(({ slowestReady }) => slowestReady)),
		violations: sum(({ violations }) => violations.length),
	};
}
