import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { real, replaceGlobals } from './world/own-globals.ts';

replaceGlobals(); // before anything of the product is loaded

const USAGE = `npm run simulate -- [--seed 7 | --seeds 1..500] [--minutes 1] [--no-faults] [--until-failure] [--twice] [--story]

  --seed, --seeds    which worlds; each is the same every time
  --minutes          of load and faults in each world, in its own time (default 0.5)
  --until-failure    ends at the first world in which something is wrong
  --twice            runs each world twice and compares every byte of its history
  --story            tells all that happened, also where nothing is wrong
  --root             of the sources of the product (default: these)
  --plant x1         puts a mistake back that the product once had (test/simulator/teeth)
`;

const { values } = parseArgs({
	options: {
		seed: { type: 'string' },
		seeds: { type: 'string' },
		minutes: { type: 'string', default: '0.5' },
		root: { type: 'string', default: join(import.meta.dirname, '../..') },
		plant: { type: 'string' },
		'no-faults': { type: 'boolean', default: false },
		'until-failure': { type: 'boolean', default: false },
		twice: { type: 'boolean', default: false },
		story: { type: 'boolean', default: false },
		help: { type: 'boolean', default: false },
	},
});

if (values.help) process.stdout.write(USAGE);
else process.exitCode = await simulate();

async function simulate(): Promise<number> {
	const { bundleProduct } = await import('./bundle-product.ts');
	const { Bundle } = await import('./world/bundle.ts');
	const { runSeed } = await import('./run-seed.ts');
	const { story } = await import('./story.ts');
	const { plant } = await import('./teeth/plant.ts');
	const root = values.plant === undefined ? values.root : plant(values.root, values.plant);
	const bundle = new Bundle(await bundleProduct(root));
	let wrong = 0;
	const began = real.now();
	for (const seed of seeds()) {
		const options = { seed, bundle, lasts: Number(values.minutes) * 60_000, faults: !values['no-faults'] };
		const run = await runSeed(options);
		const { findings, history, digest, simulated, processor } = run;
		const requests = history.operations.length;
		const rate = Math.round(requests / (processor / 1000));
		const figures = `${requests} requests, ${(simulated / 1000).toFixed(0)} s in ${(processor / 1000).toFixed(1)} s of one core, ${rate}/s`;
		print(
			`seed ${seed}: ${findings.length === 0 ? 'ok' : `${findings.length} FINDINGS`}, ${figures}, ${digest.slice(0, 16)}`,
		);
		if (findings.length > 0 || values.story) print(story(run, values.story));
		if (values.twice) {
			const again = await runSeed(options);
			const isSame = again.digest === digest;
			print(
				`seed ${seed} again: ${isSame ? `the same, byte for byte, in ${(again.processor / 1000).toFixed(1)} s` : `ANOTHER HISTORY, ${again.digest.slice(0, 16)}`}`,
			);
			if (!isSame) wrong++;
		}
		if (findings.length > 0) wrong++;
		if (wrong > 0 && values['until-failure']) break;
	}
	print(`${((real.now() - began) / 1000).toFixed(0)} s in all`);
	return wrong === 0 ? 0 : 1;
}

function seeds(): string[] {
	const [first, last] = (values.seeds ?? '').split('..').map(Number);
	if (!first || !last) return [values.seed ?? '1'];
	return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
}

function print(text: string): void {
	process.stdout.write(`${text}\n`);
}
