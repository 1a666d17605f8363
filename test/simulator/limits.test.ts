import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { declarationOf, drawLimits, LIMITS } from './limits.ts';
import { Random } from './world/random.ts';

const root = join(import.meta.dirname, '../..');

describe('Limits that are small in some worlds', () => {
	test.each(LIMITS.flat())('SIM3: When %s has %s, then it is declared once, and larger', (file, name, values) => {
		const [declaration, , value] = declarationOf(name).exec(readFileSync(join(root, file), 'utf8')) ?? [];
		expect(declaration).toBeDefined();
		const shipped = value!.split('*').reduce((all, each) => all * Number(each.replaceAll('_', '')), 1);
		for (const small of values) expect(small).toBeLessThan(shipped);
	});

	test('SIM3: When all are drawn, then each is one of its values', () => {
		const drawn = drawLimits(new Random('7'), 1);
		for (const [file, name, values] of LIMITS.flat()) expect(values).toContain(drawn.get(`${file} ${name}`));
	});
});
