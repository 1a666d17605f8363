import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { whyNoProof } from './cluster.ts';
import { commandsRound } from './commands/commands-round.ts';
import { crashRound } from './crash/crash-round.ts';
import { judgedHistory } from './judged-history.ts';
import { anySeed } from './random.ts';
import { readLines, toHistories } from './recorder.ts';
import { writeReport } from './report.ts';
import { clusterRound, embeddedRound, modelRound, type Round } from './round.ts';
import { summarise } from './summary.ts';
import { teethRound } from './teeth/teeth-round.ts';

type Form = 'embedded' | 'cluster';

/**
 * `npm run proof`: rounds of load and faults, one after the other, until the time is over. docs/proof.md is its manual.
 */
const { values } = parseArgs({
	options: {
		minutes: { type: 'string', default: '10' },
		seed: { type: 'string' },
		form: { type: 'string' },
		out: { type: 'string', default: './tmp/proof' },
		check: { type: 'string' },
		judged: { type: 'string' },
	},
});

if (values.check !== undefined) check(values.check, values.judged);
else await prove();

/** Checks a history that was written before. @param judged gets it as `test/judge` reads it */
function check(file: string, judged: string | undefined): void {
	const lines = readLines(file);
	if (judged !== undefined) writeFileSync(judged, toHistories(lines).map(judgedHistory).join(''));
	const { violations, ...counts } = summarise(lines, { duration: 25_000 });
	say(JSON.stringify(counts, null, '\t'));
	for (const { account, rule, text } of violations) say(`${account}: ${rule}: ${text}`);
	say(`violations: ${violations.length}`);
	process.exitCode = violations.length > 0 ? 1 : 0;
}

async function prove(): Promise<void> {
	const seed = values.seed === undefined ? anySeed() : Number(values.seed);
	const minutes = Number(values.minutes);
	if (!Number.isInteger(seed) || !(minutes > 0))
		throw new Error('--seed takes an integer, --minutes a positive number');
	const forms = formsOf(values.form);
	const out = resolve(values.out);
	mkdirSync(out, { recursive: true });
	const about = {
		seed: String(seed),
		minutes: String(minutes),
		forms: forms.join(', '),
		started: new Date().toISOString(),
	};
	say(`seed ${seed}; the report goes to ${join(out, 'report.md')}`);
	const end = performance.now() + minutes * 60_000;
	const rounds: Round[] = [];
	for (let number = 0; number === 0 || performance.now() < end; number++) {
		for (const run of roundsOf(number, seed + number, forms, out)) {
			const round = await run();
			rounds.push(round);
			writeReport(out, about, rounds);
			tell(round);
		}
	}
	const violations = rounds.reduce((sum, round) => sum + round.violations.length, 0);
	say(`${rounds.length} rounds, violations: ${violations}`);
	process.exit(violations > 0 ? 1 : 0);
}

/** What is run for one seed. The sabotages are the same each time, so they are tried in the first round only. */
function roundsOf(number: number, seed: number, forms: Form[], out: string): (() => Round | Promise<Round>)[] {
	const [embedded, cluster] = [forms.includes('embedded'), forms.includes('cluster')];
	return [
		() => modelRound(seed),
		...(embedded
			? [() => commandsRound(seed), () => underLoad('embedded', seed, out), () => crashRound(seed, 'embedded')]
			: []),
		...(cluster ? [() => underLoad('cluster', seed, out), () => crashRound(seed, 'cluster')] : []),
		...(number === 0 ? [() => teethRound(seed, cluster ? 'cluster' : 'embedded')] : []),
	];
}

/** The history of a round without violations is not kept. */
async function underLoad(form: Form, seed: number, out: string): Promise<Round> {
	const history = join(out, `history-${form}-${seed}.jsonl`);
	const round = await (form === 'embedded' ? embeddedRound : clusterRound)(seed, history);
	if (round.violations.length === 0) rmSync(history, { force: true });
	return round;
}

function formsOf(asked: string | undefined): Form[] {
	if (asked !== undefined && asked !== 'embedded' && asked !== 'cluster')
		throw new Error('--form: embedded or cluster');
	const missing = whyNoProof();
	if (asked !== 'embedded')
		say(
			missing === undefined ? 'cluster: nats-server, redis-server and a database are there' : `no cluster: ${missing}`,
		);
	if (asked !== 'embedded' && missing === undefined && !process.env.TEST_MONGO_CONTROL) {
		say('TEST_MONGO_CONTROL is not set: the database is disturbed through its connection, but not killed');
	}
	if (asked === 'cluster' && missing !== undefined) process.exit(2);
	const all = missing === undefined ? (['embedded', 'cluster'] as const) : (['embedded'] as const);
	return all.filter((form) => asked === undefined || form === asked);
}

function tell({ form, seed, summary, violations }: Round): void {
	const faults = Object.values(summary.faults).reduce((sum, count) => sum + count, 0);
	say(`${form} ${seed}: ${summary.operations} operations, ${faults} faults, violations: ${violations.length}`);
	for (const { account, rule, text } of violations.slice(0, 20)) say(`  ${account}: ${rule}: ${text}`);
}

function say(text: string): void {
	process.stdout.write(`${text}\n`);
}
