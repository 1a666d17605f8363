import { availableParallelism, cpus, totalmem } from 'node:os';
import type { Goal, Outcome, Sample } from './comparison.ts';
import { median } from './statistics.ts';

/** A run, as JSON. */
export interface Report {
	machine: Record<string, string | number>;
	measures: {
		name: string;
		form: string;
		title: string;
		goal: Goal | null;
		met: boolean | null;
		/** Why it is not met, beside the ratio */
		flaw: string | null;
		ratio: { median: number; lowest: number; highest: number; rounds: number[] };
		/** The same of CPU time for an answer, baseline / ours; null where it is not known */
		cpu_ratio: number | null;
		ours: number;
		baseline: { name: string; value: number };
		unit: string;
		load_average: number;
		last_round: Outcome['rounds'][number];
	}[];
}

export function reportOf(outcomes: readonly Outcome[], machine: Record<string, string>): Report {
	return {
		machine: {
			processor: cpus()[0]?.model ?? 'unknown',
			cores: availableParallelism(),
			memory_gib: Math.round(totalmem() / 2 ** 30),
			node: process.version,
			...machine,
		},
		measures: outcomes.map(({ measure, rounds, load, baseline }) => {
			const ratios = rounds.map(({ ratio }) => ratio);
			const middle = median(ratios);
			const of = (pick: (sample: Sample) => number | undefined, side: 'ours' | 'baseline') =>
				median(rounds.map((round) => pick(round[side]) ?? Number.NaN));
			const cpuRatio = of(({ cpu }) => cpu, 'baseline') / of(({ cpu }) => cpu, 'ours');
			return {
				name: measure.name,
				form: measure.form,
				title: measure.title,
				goal: measure.goal ?? null,
				met: measure.goal === undefined ? null : isMet(measure.goal, middle) && flawOf(rounds) === undefined,
				flaw: flawOf(rounds) ?? null,
				ratio: { median: middle, lowest: Math.min(...ratios), highest: Math.max(...ratios), rounds: ratios },
				cpu_ratio: Number.isNaN(cpuRatio) ? null : cpuRatio,
				ours: of(({ value }) => value, 'ours'),
				baseline: { name: baseline, value: of(({ value }) => value, 'baseline') },
				unit: measure.unit,
				load_average: load,
				last_round: rounds.at(-1)!,
			};
		}),
	};
}

/** That of most rounds; one may be the machine's fault. */
function flawOf(rounds: Outcome['rounds']): string | undefined {
	const flaws = rounds.flatMap(({ ours }) => ours.flaw ?? []);
	return flaws.length > rounds.length / 2 ? flaws.at(-1) : undefined;
}

export function isMet(goal: Goal, ratio: number): boolean {
	return 'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
}

/** The ratios as a table, and below it what else the last rounds told. */
export function printed({ machine, measures }: Report): string {
	const head = ['Form', 'Measure', 'Goal', 'Ratio', 'Spread', '', 'Ours', 'Baseline', 'By CPU', 'Generator', 'Load'];
	const rows = measures.map(({ ratio, goal, unit, last_round, ...one }) => [
		one.form,
		one.title,
		goal === null ? '' : 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`,
		ratio.median.toFixed(2),
		`${ratio.lowest.toFixed(2)} – ${ratio.highest.toFixed(2)}`,
		one.met === null ? '' : one.met ? 'met' : `MISSED${one.flaw === null ? '' : `: ${one.flaw}`}`,
		amount(one.ours, unit),
		amount(one.baseline.value, unit),
		one.cpu_ratio === null ? '' : one.cpu_ratio.toFixed(2),
		last_round.ours.generatorCpu === undefined ? '' : `${(last_round.ours.generatorCpu * 100).toFixed(0)} %`,
		one.load_average.toFixed(1),
	]);
	const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
	const notes = measures.flatMap(({ form, name, baseline, last_round }) => [
		...noteLines(`${form} ${name}, ours`, last_round.ours),
		...noteLines(`${form} ${name}, ${baseline.name}`, last_round.baseline),
	]);
	const about = Object.entries(machine).map(([name, value]) => `${name}: ${value}`);
	return `${lines.join('\n')}\n\n${about.join(' · ')}\n\nLast round:\n${notes.join('\n')}\n`;
}

function amount(value: number, unit: string): string {
	return `${value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })}${unit === 'ms' ? ' ms' : unit}`;
}

function noteLines(title: string, { cpu, notes = {} }: Sample): string[] {
	const all = Object.entries({ ...(cpu === undefined ? {} : { CPU: `${cpu.toFixed(0)} µs` }), ...notes });
	if (all.length === 0) return [];
	const texts = all.map(([name, value]) => `${name} ${value}`);
	return [`- ${title}: ${texts.join(texts.some((text) => text.length > 60) ? '\n  - ' : ', ')}`];
}
