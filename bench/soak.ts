import { parseArgs } from 'node:util';
import type { Form } from '../test/support/product.ts';
import { whyNoCluster } from '../test/support/servers.ts';
import { SMALL } from './bench.ts';
import { LoadGenerator } from './load/load-generator.ts';
import type { EverydayRecipe } from './load/recipes.ts';
import { type MemorySample, memoryOfProcess } from './memory-of-process.ts';
import { type Site, startSite } from './site.ts';
import { slope } from './statistics.ts';

/**
 * Whether memory grows: half of the capacity, as an open load of everything that the API does, for an hour or as long as
 * is said. Prints for each process how much its memory rose a minute, by the least squares over the last three quarters.
 *
 *   npm run bench:soak [-- --minutes 60] [embedded|cluster]
 */
const USAGE = 'npm run bench:soak [-- --minutes 60] [embedded|cluster]\n';
/** Seconds between two looks, and of one load of the generator */
const STEP = 10;
const CLIENTS = 64;
const OUTSTANDING = 500;
/** MB a minute */
const GOAL = 1;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { minutes: { type: 'string' } } });
const minutes = Number(values.minutes ?? 60);
const forms = (positionals.length === 0 ? ['embedded', 'cluster'] : positionals) as Form[];
if (!(minutes > 0) || forms.some((form) => form !== 'embedded' && form !== 'cluster')) {
	process.stderr.write(USAGE);
	process.exit(78);
}

const generator = new LoadGenerator();
for (const form of forms) {
	const missing = form === 'cluster' ? whyNoCluster() : undefined;
	if (missing !== undefined) {
		process.stderr.write(`no cluster here: ${missing}\n`);
		continue;
	}
	const site = await startSite(form, SMALL);
	try {
		await soak(form, site);
	} finally {
		await site.stop();
	}
}
await generator.stop();

async function soak(form: Form, site: Site): Promise<void> {
	const load = () => ({ url: site.url, key: site.key, recipe: everydayOf(site), seconds: STEP });
	await generator.closed({ ...load(), clients: CLIENTS }); // until everything is compiled
	const { rate: capacity } = await generator.closed({ ...load(), clients: CLIENTS });
	const rate = capacity / 2;
	const samples = new Map<string, MemorySample[]>();
	const statuses: Record<number, number> = {};
	const began = performance.now();
	let unanswered = 0;
	for (let seed = 1; performance.now() - began < minutes * 60_000; seed++) {
		const figures = await generator.open({ ...load(), rate, outstanding: OUTSTANDING, seed });
		for (const [status, count] of Object.entries(figures.statuses)) {
			statuses[Number(status)] = (statuses[Number(status)] ?? 0) + count;
		}
		unanswered += figures.unanswered;
		for (const one of site.product.processes) {
			const sample = await memoryOfProcess(one, (performance.now() - began) / 60_000);
			samples.set(one.name, [...(samples.get(one.name) ?? []), sample]);
		}
	}
	const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
	process.stdout.write(`\n${form}: ${minutes} min at ${rate.toFixed(0)} requests/s, half of the capacity\n`);
	process.stdout.write(`${answers.join(', ')}, ${unanswered} unanswered\n\n`);
	process.stdout.write('| Process | RSS at first, MB | at the end | RSS, MB/min | Heap, MB/min | Goal |\n');
	process.stdout.write('| --- | --- | --- | --- | --- | --- |\n');
	for (const [name, all] of samples) process.stdout.write(rowOf(name, all));
}

/** The first quarter is left out: caches fill, the compiler works. */
function rowOf(name: string, all: readonly MemorySample[]): string {
	const later = all.slice(Math.floor(all.length / 4));
	const rss = slope(later.map((sample) => [sample.minute, sample.rss]));
	const heap = slope(later.map((sample) => [sample.minute, sample.heap]));
	const cells = [name, all[0]!.rss.toFixed(0), all.at(-1)!.rss.toFixed(0), rss.toFixed(2), heap.toFixed(2)];
	return `| ${cells.join(' | ')} | ≤ ${GOAL}: ${rss <= GOAL ? 'met' : 'MISSED'} |\n`;
}

/** Each load has dates of its own: a generator forgets what the one before has made. */
function everydayOf(site: Site): EverydayRecipe {
	const spread = site.spread();
	site.used(spread, 1);
	return { ...spread, kind: 'everyday', service: site.service };
}
