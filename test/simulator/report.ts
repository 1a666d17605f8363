import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { judgedHistory } from './judged-history.ts';
import { runSeed } from './run-seed.ts';
import { shrink } from './shrink.ts';
import { story } from './story.ts';
import type { Bundle } from './world/bundle.ts';

/** What is to be told of each world. */
export interface Wanted {
	/** Of load and faults in each world, in its own time; undefined: the seed says */
	minutes: number | undefined;
	faults: boolean;
	shrink: boolean;
	twice: boolean;
	story: boolean;
	/** A directory that gets each world's history */
	history: string | undefined;
}

/** What came of one seed. */
export interface Report {
	seed: number;
	/** Something was found, or the second run was another one */
	isWrong: boolean;
	/** What is printed */
	text: string;
	requests: number;
	/** ms of the world's time, and of the processor's */
	simulated: number;
	processor: number;
}

/** Runs the world of a seed, and again where it is to be shrunk or compared. */
export async function reportOf(seed: number, bundle: Bundle, wanted: Wanted): Promise<Report> {
	const lines: string[] = [];
	const lasts = wanted.minutes === undefined ? undefined : wanted.minutes * 60_000;
	const given = { seed: String(seed), bundle, lasts, faults: wanted.faults };
	const run = await runSeed(given);
	const { findings, digest, simulated, processor } = run;
	const requests = run.history.operations.length;
	const verdict = findings.length === 0 ? 'ok' : `${findings.length} FINDINGS`;
	lines.push(`seed ${seed}: ${verdict}, ${figures({ requests, simulated, processor })}, ${digest.slice(0, 16)}`);
	if (wanted.history) await writeFile(join(wanted.history, `seed-${seed}.jsonl`), judgedHistory(run.evidence));
	if (findings.length > 0 || wanted.story) lines.push(story(run, wanted.story));
	if (findings.length > 0 && wanted.shrink) {
		const [smallest, without] = await shrink(run, (fewer) => runSeed({ ...given, without: fewer }));
		const left = `${run.clients.length - without.clients.size} of ${run.clients.length} clients`;
		lines.push(`\nshrunk to ${left}, ${run.faults - without.faults.size} of ${run.faults} faults:`);
		lines.push(story(smallest, false));
	}
	const isSame = !wanted.twice || (await runSeed(given)).digest === digest;
	if (wanted.twice) lines.push(`seed ${seed} again: ${isSame ? 'the same, byte for byte' : 'ANOTHER HISTORY'}`);
	const isWrong = findings.length > 0 || !isSame;
	return { seed, isWrong, text: lines.join('\n'), requests, simulated, processor };
}

export function figures({ requests, simulated, processor }: Omit<Report, 'seed' | 'isWrong' | 'text'>): string {
	const seconds = processor / 1000;
	const rate = Math.round(requests / seconds);
	const speed = (simulated / processor).toFixed(1);
	return `${requests} requests, ${seconds.toFixed(1)} s of one core: ${rate} requests and ${speed} s of its world a second`;
}
