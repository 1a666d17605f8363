import type { Finding } from './oracles/evidence.ts';
import type { Run } from './run-seed.ts';
import { describe } from './workload/history.ts';

/** Findings that are told in full */
const MOST = 3;
/** ms before the first operation of a finding from which on the world's own events are told */
const BEFORE = 2_000;

/** Who did what when, what was told, what is wrong. */
export function story(run: Run, all: boolean): string {
	const { findings, history, world } = run;
	const lines = findings.slice(0, MOST).flatMap((finding) => ['', ...tell(run, finding)]);
	if (findings.length > MOST) lines.push('', `and ${findings.length - MOST} more: ${rules(findings.slice(MOST))}`);
	if (all) {
		const told = world.told.map(({ at, who, what, detail }) => ({
			at,
			text: `${who} ${what} ${detail === undefined ? '' : JSON.stringify(detail)}`,
		}));
		const asked = history.operations.map((operation) => ({ at: operation.began, text: describe(operation) }));
		lines.push(
			...[...told, ...asked].sort((one, other) => one.at - other.at).map(({ at, text }) => `${seconds(at)} ${text}`),
		);
	}
	return lines.join('\n');
}

function tell({ world }: Run, { rule, what, operations }: Finding): string[] {
	const began = Math.min(...operations.map((operation) => operation.began));
	const ended = Math.max(...operations.map((operation) => operation.ended ?? operation.began));
	const around = world.told
		.filter(({ at, what: told }) => at >= began - BEFORE && at <= ended && !/listening|process ready/.test(told))
		.map(({ at, who, what: told, detail }) => ({ at, text: `   ${seconds(at)}   ${who} ${told}${brief(detail)}` }));
	const asked = operations.map((operation) => ({ at: operation.began, text: `   ${describe(operation)}` }));
	const lines = [...around.slice(-20), ...asked].sort((one, other) => one.at - other.at).map(({ text }) => text);
	return [`✗ ${rule}: ${what}`, ...lines];
}

function brief(detail: unknown): string {
	if (detail === undefined) return '';
	const text = typeof detail === 'string' ? detail : JSON.stringify(detail);
	return ` ${text.slice(0, 160)}`;
}

function rules(findings: Finding[]): string {
	const counts = Object.entries(Object.groupBy(findings, ({ rule }) => rule));
	return counts.map(([rule, list]) => `${rule} (${list!.length})`).join(', ');
}

function seconds(ms: number): string {
	return `${(ms / 1000).toFixed(4)} s`;
}
