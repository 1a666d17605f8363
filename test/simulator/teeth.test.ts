import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { simulate } from './support/simulate.ts';

const root = join(import.meta.dirname, '../..');
const patches = globSync('*.patch', { cwd: join(import.meta.dirname, 'teeth') }).sort();

/** Seconds. Another seed may find it since the product has changed: the next ones are tried for so long. */
const CORE = '300';

/** The first line of a patch says where it was found: `seed 4: no duplicates`. */
const known = patches.flatMap((patch) => {
	const first = readFileSync(join(import.meta.dirname, 'teeth', patch), 'utf8').split('\n')[0]!;
	const [, seed, rule] = /^seed (\d+): (.+)$/.exec(first) ?? [];
	return seed === undefined ? [] : [{ patch, seed, rule: rule! }];
});
const tried = process.env.SIMULATED_TEETH === 'all' ? known : known.slice(0, 1);

describe('Mistakes that the product once had', () => {
	test.each(patches)('S4: When %s is put back, then it still fits', (patch) => {
		const file = join('test/simulator/teeth', patch);
		expect(() => execFileSync('git', ['apply', '--check', file], { cwd: root, stdio: 'pipe' })).not.toThrow();
	});

	test.each(tried)(
		'S4: When $patch is put back, then it is found from seed $seed on: $rule',
		async ({ patch, seed, rule }) => {
			const worlds = ['--seeds', `${seed}..1000`, '--until-failure', '--core', CORE];
			const found = await simulate('--plant', patch.replace('.patch', ''), ...worlds);
			expect(found.output).toContain(rule);
			expect(found.code).toBe(1);
		},
	);
});
