import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyOf } from '../teeth/plant.ts';
import { type Mutation, mutations } from './table.ts';

/** Puts each small mistake of the table into a copy of the product, one at a time, and looks whether the simulator finds it. */
const { values } = parseArgs({
	options: {
		/** Seconds of one core for each */
		core: { type: 'string', default: '60' },
		/** The first seed of each search */
		seed: { type: 'string', default: '1' },
		/** Only those whose number is from here to there: `1..10` */
		only: { type: 'string', default: `1..${mutations.length}` },
	},
});

const root = join(import.meta.dirname, '../../..');
const [first, last] = values.only.split('..').map(Number) as [number, number];
let found = 0;
say('| | Mistake | Found by | Worlds | Seconds of a core |\n|---|---|---|---|---|');
for (let number = first; number <= last; number++) {
	const mutation = mutations[number - 1]!;
	const [by, worlds, seconds] = search(mutation, number);
	if (by !== 'nothing') found++;
	const file = mutation.file.split('/').at(-1);
	say(`| ${number} | \`${file}\`: ${mutation.about} | ${by} | ${worlds} | ${seconds} |`);
}
say(`\n${found} of ${last - first + 1} found`);

/** @returns the first rule that was broken, or `nothing`; how many worlds that took, and seconds of one core */
function search({ file, from, to }: Mutation, number: number): [by: string, worlds: string, seconds: string] {
	const copy = copyOf(root, `mutation-${number}`);
	const text = readFileSync(join(copy, file), 'utf8');
	if (!text.includes(from)) return ['nothing: the text has changed', '', ''];
	writeFileSync(
		join(copy, file),
		text.replace(from, () => to),
	);
	const seeds = ['--seeds', `${values.seed}..1000000`, '--until-failure', '--core', values.core];
	const simulator = [join(root, 'test/simulator/main.ts'), '--root', copy, ...seeds];
	const { stdout, stderr } = spawnSync(process.execPath, simulator, { encoding: 'utf8', maxBuffer: 2 ** 30 });
	const [, worlds, seconds] = /^(\d+) seeds,.*requests, ([\d.]+) s of one core/m.exec(stdout) ?? [];
	if (worlds === undefined) return [`it ended: ${stderr.trim().split('\n').at(-1)}`, '', ''];
	const [, rule = 'nothing'] = /^✗ ([^:]+):/m.exec(stdout) ?? [];
	return [rule, worlds, seconds!];
}

function say(text: string): void {
	process.stdout.write(`${text}\n`);
}
