import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Report } from './report.ts';
import { median } from './statistics.ts';

/**
 * Two checkouts of Slotwise beside each other, run by run in turns, so that what else the machine does meets both alike:
 *
 *   npm run bench:checkouts -- <before> <after> [--times 5] -- embedded --only get-booking --rounds 2
 *
 * Each needs its packages (`npm ci`). What follows the second `--` goes to each bench. Two ratios to the baseline are
 * compared: that of the values, and that of CPU time for an answer, which other load disturbs less. Ends with 1 where the
 * median of a measure's CPU ratio (or of its values, where there is none) is worse by more than 5 %.
 */
const TOLERANCE = 0.05;

type Measured = Report['measures'][number];

const { positionals, values } = parseArgs({
	args: process.argv.slice(2, cut()),
	allowPositionals: true,
	options: { times: { type: 'string', default: '5' } },
});
const [before, after] = positionals.map((directory) => resolve(directory));
if (before === undefined || after === undefined) throw new TypeError('two directories are needed: before and after');
const found = new Map<string, { before: Measured[]; after: Measured[] }>();
for (let time = 0; time < Number(values.times); time++) {
	const turn = time % 2 === 0 ? (['before', 'after'] as const) : (['after', 'before'] as const);
	for (const side of turn) {
		for (const measure of await run(side === 'before' ? before : after)) {
			const name = `${measure.form} ${measure.name}`;
			if (!found.has(name)) found.set(name, { before: [], after: [] });
			found.get(name)![side].push(measure);
		}
		process.stderr.write(`run ${time + 1} of ${values.times}, ${side}\n`);
	}
}
process.stdout.write(
	'| Measure | | before: median (range) | after: median (range) | change |\n| --- | --- | --- | --- | --- |\n',
);
for (const [name, sides] of found) {
	if (sides.before.length === 0 || sides.after.length === 0) continue; // one of the two does not have it
	const byValue = row(name, 'ratio', sides, ({ ratio }) => ratio.median, wantsLess(sides.before[0]!));
	const byCpu = row(name, 'by CPU', sides, ({ cpu_ratio }) => cpu_ratio, false);
	if ((byCpu ?? byValue ?? 0) < -TOLERANCE) process.exitCode = 1;
}

/** Where the words for the benches begin. */
function cut(): number {
	const at = process.argv.indexOf('--', 2);
	return at === -1 ? process.argv.length : at;
}

function wantsLess({ goal, unit }: Measured): boolean {
	return goal === null ? unit === 'ms' : 'atMost' in goal;
}

async function run(directory: string): Promise<Measured[]> {
	const out = mkdtempSync(join(tmpdir(), 'slotwise-bench-'));
	try {
		const words = ['bench/main.ts', ...process.argv.slice(cut() + 1), '--json', join(out, 'report.json')];
		await new Promise<void>((done, failed) => {
			execFile(process.execPath, words, { cwd: directory }, (error, _, stderr) =>
				error ? failed(new Error(`${directory}: ${stderr}`)) : done(),
			);
		});
		return (JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as Report).measures;
	} finally {
		rmSync(out, { recursive: true });
	}
}

/** Prints a line. @returns by how much it became better; undefined where it was not measured */
function row(
	name: string,
	what: string,
	sides: { before: Measured[]; after: Measured[] },
	pick: (measure: Measured) => number | null,
	less: boolean,
): number | undefined {
	const [old, now] = [sides.before, sides.after].map((side) => side.map(pick).filter((value) => value !== null));
	if (!old?.length || !now?.length) return undefined;
	const change = less ? median(old) / median(now) - 1 : median(now) / median(old) - 1;
	const cell = (list: number[]) =>
		`${median(list).toFixed(2)} (${Math.min(...list).toFixed(2)} – ${Math.max(...list).toFixed(2)})`;
	const percent = `${change < 0 ? '−' : '+'}${Math.abs(change * 100).toFixed(1)} %`;
	process.stdout.write(`| ${name} | ${what} | ${cell(old)} | ${cell(now)} | ${percent} |\n`);
	return change;
}
