import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { real, replaceGlobals } from './world/own-globals.ts';

replaceGlobals(); // before anything of the product is loaded

const USAGE = `npm run simulate -- [--seed 7 | --seeds 1..500] [--minutes 0.5] [--hours 8] [--until-failure] [--twice] …

  --seed, --seeds    which worlds; each is the same every time (default 1)
  --minutes          of load and faults in each world, in its own time (default: the seed says)
  --hours            goes on with the next seeds until so much time of yours is over
  --core             ends with the first world after so many seconds of one core
  --until-failure    ends at the first world in which something is wrong
  --shrink           leaves out clients and faults of the first such world, as long as the same is wrong
  --twice            runs each world twice and compares every byte of its history
  --story            tells all that happened, also where nothing is wrong
  --history          a directory that gets each world's history, for test/judge
  --no-faults        nothing goes wrong by itself
  --plant x1         puts a mistake back that the product once had (test/simulator/teeth)
  --root             of the sources of the product (default: these)

Exit code: 0 where nothing is wrong, 1 where something is, 2 where the command is not understood.
`;

const values = readOptions();
if (values === undefined) process.exitCode = 2;
else if (values.help) process.stdout.write(USAGE);
else process.exitCode = await simulate(values);

type Options = NonNullable<ReturnType<typeof readOptions>>;

function readOptions() {
	try {
		const { values } = parseArgs({
			options: {
				seed: { type: 'string', default: '1' },
				seeds: { type: 'string' },
				minutes: { type: 'string' },
				hours: { type: 'string' },
				core: { type: 'string', default: 'Infinity' },
				root: { type: 'string', default: join(import.meta.dirname, '../..') },
				history: { type: 'string' },
				plant: { type: 'string' },
				'no-faults': { type: 'boolean', default: false },
				'until-failure': { type: 'boolean', default: false },
				shrink: { type: 'boolean', default: false },
				twice: { type: 'boolean', default: false },
				story: { type: 'boolean', default: false },
				help: { type: 'boolean', default: false },
			},
		});
		const [first, last] = (values.seeds ?? `${values.seed}..${values.seed}`).split('..').map(Number) as [
			number,
			number,
		];
		if (!(first >= 0 && last >= first)) throw new Error('--seeds takes two numbers, such as 1..500; --seed takes one.');
		const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
		if (minutes !== undefined && !(minutes >= 0)) throw new Error('--minutes takes a number.');
		const hours = values.hours === undefined ? undefined : Number(values.hours);
		if (hours !== undefined && !(hours > 0)) throw new Error('--hours takes a number above 0.');
		const core = Number(values.core);
		if (!(core > 0)) throw new Error('--core takes a number of seconds.');
		return { ...values, first, last, minutes, hours, core };
	} catch (error) {
		process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
		return undefined;
	}
}

/** @returns the exit code */
async function simulate(options: Options): Promise<number> {
	const { bundleProduct } = await import('./bundle-product.ts');
	const { Bundle } = await import('./world/bundle.ts');
	const { runSeed } = await import('./run-seed.ts');
	const { judgedHistory } = await import('./judged-history.ts');
	const { writeFile } = await import('node:fs/promises');
	const { shrink } = await import('./shrink.ts');
	const { story } = await import('./story.ts');
	const { plant } = await import('./teeth/plant.ts');
	const root = options.plant === undefined ? options.root : plant(options.root, options.plant);
	const bundle = new Bundle(await bundleProduct(root));
	const began = real.now();
	const sum = { seeds: 0, wrong: 0, requests: 0, simulated: 0, processor: 0 };
	for (let seed = options.first; goesOn(seed); seed++) {
		const lasts = options.minutes === undefined ? undefined : options.minutes * 60_000;
		const given = { seed: String(seed), bundle, lasts, faults: !options['no-faults'] };
		const run = await runSeed(given);
		const { findings, digest, simulated, processor } = run;
		const requests = run.history.operations.length;
		const verdict = findings.length === 0 ? 'ok' : `${findings.length} FINDINGS`;
		print(`seed ${seed}: ${verdict}, ${figures({ requests, simulated, processor })}, ${digest.slice(0, 16)}`);
		if (options.history) await writeFile(join(options.history, `seed-${seed}.jsonl`), judgedHistory(run.evidence));
		if (findings.length > 0 || options.story) print(story(run, options.story));
		if (findings.length > 0 && options.shrink && sum.wrong === 0) {
			const [smallest, without] = await shrink(run, (fewer) => runSeed({ ...given, without: fewer }));
			const left = `${run.clients.length - without.clients.size} of ${run.clients.length} clients`;
			print(`\nshrunk to ${left}, ${run.faults - without.faults.size} of ${run.faults} faults:`);
			print(story(smallest, false));
		}
		const isSame = !options.twice || (await runSeed(given)).digest === digest;
		if (options.twice) print(`seed ${seed} again: ${isSame ? 'the same, byte for byte' : 'ANOTHER HISTORY'}`);
		sum.seeds++;
		sum.requests += requests;
		sum.simulated += simulated;
		sum.processor += processor;
		if (findings.length > 0 || !isSame) sum.wrong++;
	}
	const time = `${((real.now() - began) / 1000).toFixed(0)} s in all`;
	print(`${sum.seeds} seeds, ${sum.wrong} with something wrong; ${figures(sum)}; ${time}`);
	return sum.wrong === 0 ? 0 : 1;

	function goesOn(seed: number): boolean {
		if (sum.wrong > 0 && options['until-failure']) return false;
		if (sum.processor > options.core * 1000) return false;
		if (options.hours === undefined) return seed <= options.last;
		return real.now() - began < options.hours * 3_600_000;
	}
}

function figures({
	requests,
	simulated,
	processor,
}: {
	requests: number;
	simulated: number;
	processor: number;
}): string {
	const seconds = processor / 1000;
	const rate = Math.round(requests / seconds);
	const speed = (simulated / processor).toFixed(1);
	return `${requests} requests, ${seconds.toFixed(1)} s of one core: ${rate} requests and ${speed} s of its world a second`;
}

function print(text: string): void {
	process.stdout.write(`${text}\n`);
}
