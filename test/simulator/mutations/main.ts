import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyOf } from '../teeth/plant.ts';
import { coveredBy } from './covered-by.ts';
import type { Mutation } from './mutation.ts';
import { mutations } from './table.ts';

/**
 * Puts each small mistake of the table into a copy of the product, one at a time, and looks who finds it: first the tests
 * of what it is in, and where they are green, the simulator. It writes one row of a table each.
 */
const { values } = parseArgs({
	options: {
		/** Seconds of one core that the simulator has for each; 0: it is not asked */
		core: { type: 'string', default: '60' },
		/** The first seed of each search */
		seed: { type: 'string', default: '1' },
		/** Only those of these numbers: `1..10`, or `7,12` */
		only: { type: 'string', default: `1..${mutations.length}` },
		/** The simulator is asked about all of them */
		'no-tests': { type: 'boolean', default: false },
	},
});

const TREE = [
	'services',
	'shared',
	'ops',
	'test',
	'main.js',
	'main.ts',
	'moleculer.config.ts',
	'jest.config.js',
	'package.json',
];
const root = join(import.meta.dirname, '../../..');
const copy = mkdtempSync(join(tmpdir(), 'slotwise-mutation-'));
for (const part of TREE) cpSync(join(root, part), join(copy, part), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

/** Who found a mistake; undefined: nobody */
type Found = string | undefined;

const asked = numbersOf(values.only);
let found = 0;
say('| | Mistake | Found by | Seconds |\n|---|---|---|---|');
for (const number of asked) {
	const mutation = mutations[number - 1]!;
	const began = performance.now();
	const by = (values['no-tests'] ? undefined : byTests(mutation)) ?? bySimulator(mutation, number);
	if (by !== undefined) found++;
	const seconds = Math.round((performance.now() - began) / 1000);
	say(`| ${number} | \`${mutation.file.split('/').at(-1)}\`: ${mutation.about} | ${by ?? '**nobody**'} | ${seconds} |`);
}
say(`\n${found} of ${asked.length} found`);
rmSync(copy, { recursive: true, force: true });

function numbersOf(text: string): number[] {
	const [first, last] = text.split('..').map(Number);
	if (last === undefined) return text.split(',').map(Number);
	return Array.from({ length: last - first! + 1 }, (_, index) => first! + index);
}

/** Those of parts first: the others start the whole product. */
function byTests(mutation: Mutation): Found {
	const files = coveredBy(mutation.file);
	const whole = files.filter((file) => file.startsWith('test/behaviour/'));
	const parts = files.filter((file) => !whole.includes(file));
	put(copy, mutation);
	try {
		return run('unit', parts) ?? run('behaviour', whole);
	} finally {
		cpSync(join(root, mutation.file), join(copy, mutation.file));
	}
}

function run(suite: string, files: string[]): Found {
	if (files.length === 0) return undefined;
	const jest = ['--disable-warning=ExperimentalWarning', '--experimental-vm-modules', 'node_modules/jest/bin/jest.js'];
	const args = [...jest, '--runInBand', '--bail', '--silent', ...files];
	const env = { ...process.env, SUITES: suite };
	const { status, stderr } = spawnSync(process.execPath, args, {
		cwd: copy,
		env,
		encoding: 'utf8',
		maxBuffer: 2 ** 30,
	});
	if (status === 0) return undefined;
	const [, test] = /^\s+● (.+)$/m.exec(stderr) ?? [];
	const [, file] = /^FAIL \S+ (?:test\/)?(\S+)\.test\.ts/m.exec(stderr) ?? [];
	return `${file ?? suite}: ${test ?? stderr.trim().split('\n').at(-1)}`;
}

function bySimulator(mutation: Mutation, number: number): Found {
	if (Number(values.core) === 0 || mutation.file.endsWith('.lua')) return undefined;
	const changed = copyOf(root, `mutation-${number}`);
	put(changed, mutation);
	const seeds = ['--seeds', `${values.seed}..1000000`, '--until-failure', '--core', values.core];
	const simulator = [join(root, 'test/simulator/main.ts'), '--root', changed, ...seeds];
	const { stdout, stderr } = spawnSync(process.execPath, simulator, { encoding: 'utf8', maxBuffer: 2 ** 30 });
	rmSync(changed, { recursive: true, force: true });
	const [, worlds] = /^(\d+) seeds,/m.exec(stdout) ?? [];
	if (worlds === undefined) return `the simulator: ${stderr.trim().split('\n').at(-1)}`;
	const [, rule] = /^✗ ([^:]+):/m.exec(stdout) ?? [];
	return rule && `the simulator: ${rule}, in world ${worlds}`;
}

function put(tree: string, { file, from, to }: Mutation): void {
	const text = readFileSync(join(tree, file), 'utf8');
	if (!text.includes(from)) throw new Error(`the text has changed: ${file}: ${from}`);
	writeFileSync(
		join(tree, file),
		text.replace(from, () => to),
	);
}

function say(text: string): void {
	process.stdout.write(`${text}\n`);
}
