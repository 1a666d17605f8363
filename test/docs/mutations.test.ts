import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { coveredBy } from '../simulator/mutations/covered-by.ts';
import { mutations } from '../simulator/mutations/table.ts';

const root = join(import.meta.dirname, '../..');

describe('The table of small mistakes', () => {
	test('SIM4: When the product changes, then each of them still has one place, and tests to ask', () => {
		expect(mutations.length).toBeGreaterThanOrEqual(100);
		const places = mutations.map(({ file, from }) => readFileSync(join(root, file), 'utf8').split(from).length - 1);
		expect(mutations.filter((_, index) => places[index] !== 1)).toEqual([]);
		const tests = new Set(mutations.flatMap(({ file }) => coveredBy(file)));
		expect([...tests].filter((each) => !existsSync(join(root, each)))).toEqual([]);
	});

	test('When two of them are compared, then they are two', () => {
		const made = mutations.map(({ file, from, to }) => [file, from, to].join('\n'));
		expect(new Set(made).size).toBe(made.length);
	});
});
