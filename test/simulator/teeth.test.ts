import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { simulate } from './support/simulate.ts';

const root = join(import.meta.dirname, '../..');
const patches = globSync('*.patch', { cwd: join(import.meta.dirname, 'teeth') }).sort();

/** Seconds. Another seed may find it since the product has changed: the next ones are tried for so long. */
const CORE = '300';

/** The first line of a patch says where it was found, and by which rule: `seed 4: no duplicates`. */
const known = patches.flatMap((patch) => {
	const first = readFileSync(join(import.meta.dirname, 'teeth', patch), 'utf8').split('\n')[0]!;
	const [, seed] = /^seed (\d+): .+$/.exec(first) ?? [];
	return seed === undefined ? [] : [{ patch, seed }];
});
const tried = process.env.SIMULATED_TEETH === 'all' ? known : known.slice(0, 1);

describe('Mistakes that the product once had', () => {
	test.each(patches)('SIM4: When %s is put back, then it still fits', (patch) => {
		const file = join('test/simulator/teeth', patch);
		expect(() => execFileSync('git', ['apply', '--check', file], { cwd: root, stdio: 'pipe' })).not.toThrow();
	});

	test.each(tried)(
		'SIM4: When $patch is put back, then something is found from seed $seed on, and nothing in that world without it',
		async ({ patch, seed }) => {
			const worlds = ['--seeds', `${seed}..1000`, '--until-failure', '--core', CORE];
			const found = await simulate('--plant', patch.replace('.patch', ''), ...worlds);
			expect(found.code).toBe(1);
			// Which rule is broken first changes with the product, as all that happens in a world does.
			const [, world] = /^seed (\d+): \d+ FINDINGS/m.exec(found.output) ?? [];
			expect(await simulate('--seeds', `${world}..${world}`)).toMatchObject({ code: 0 });
		},
	);
});
