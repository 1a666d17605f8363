import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleProduct } from './bundle-product.ts';
import { figures, type Report } from './report.ts';
import { plant } from './teeth/plant.ts';
import { runWorlds } from './workers.ts';

const USAGE = `npm run simulate -- [--seed 7 | --seeds 1..500] [--minutes 0.5] [--hours 8] [--until-failure] [--twice] …

  --seed, --seeds    which worlds; each is the same every time (default 1)
  --minutes          of load and faults in each world, in its own time (default: the seed says)
  --hours            goes on with the next seeds until so much time of yours is over
  --core             begins no world after so many seconds of one core
  --processes        that run worlds, each another one (default: as many as there are cores)
  --until-failure    ends at the first world in which something is wrong
  --shrink           leaves out clients and faults of a failing world, as long as the same is wrong
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
				processes: { type: 'string', default: String(availableParallelism()) },
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
		const processes = Number(values.processes);
		if (!(processes >= 1)) throw new Error('--processes takes a number from 1 on.');
		return { ...values, first, last, minutes, hours, core, processes };
	} catch (error) {
		process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
		return undefined;
	}
}

/** @returns the exit code */
async function simulate(options: Options): Promise<number> {
	const { first, last, hours, core, minutes, history, shrink, twice, story } = options;
	const root = options.plant === undefined ? options.root : plant(options.root, options.plant);
	const wanted = { minutes, faults: !options['no-faults'], history, shrink, twice, story };
	const bundle = await bundleProduct(root);
	const began = performance.now();
	const sum = { seeds: 0, wrong: 0, requests: 0, simulated: 0, processor: 0 };
	const worlds = hours === undefined ? last - first + 1 : Number.POSITIVE_INFINITY;
	const processes = Math.min(options.processes, worlds);
	for await (const report of runWorlds({ bundle, wanted, processes, first, goesOn })) {
		print(report.text);
		sum.seeds++;
		sum.requests += report.requests;
		sum.simulated += report.simulated;
		sum.processor += report.processor;
		if (report.isWrong) sum.wrong++;
		// Later ones that were begun meanwhile are not told of: which they are is the machine's doing.
		if (report.isWrong && options['until-failure']) break;
	}
	const seconds = (performance.now() - began) / 1000;
	const rate = `${Math.round(sum.requests / seconds)} requests a second of yours`;
	print(
		`${sum.seeds} seeds, ${sum.wrong} with something wrong; ${figures(sum)}; ${seconds.toFixed(0)} s in all, ${rate}`,
	);
	return sum.wrong === 0 ? 0 : 1;

	function goesOn(seed: number, reports: readonly Report[]): boolean {
		if (options['until-failure'] && reports.some(({ isWrong }) => isWrong)) return false;
		if (reports.reduce((all, { processor }) => all + processor, 0) > core * 1000) return false;
		if (hours === undefined) return seed <= last;
		return performance.now() - began < hours * 3_600_000;
	}
}

function print(text: string): void {
	process.stdout.write(`${text}\n`);
}
