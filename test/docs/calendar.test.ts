import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '../support/until.ts';
import { describePrinted, printedCalls, ReadersProduct } from './printed.ts';
import { read, root } from './sources.ts';

/** Its dates must go on lying ahead. */
const NOW = '2027-03-01T08:00:00Z';

const page = read('docs/calendar.md');
const rows = [...page.matchAll(/^\| ([A-Z]\d+) \| [^|]+ \| `(curl [^|]+)` \| `([^|]+)` \| `([^|]+)` \|$/gm)].map(
	([, rule, command, has, file]) => ({ rule: rule!, command: command!, has: has!, file: file! }),
);

describePrinted('docs/calendar.md', () => {
	let product: ReadersProduct;
	beforeAll(async () => {
		product = new ReadersProduct(NOW);
		await product.ready();
		for (const { command } of printedCalls(page)) expect(await product.run(command)).toMatch(/^\{"data":/);
	});
	afterAll(() => product?.stop());

	test('It has a row for each promise about bookings and schedules, and every row is read here', () => {
		const rules = [...page.matchAll(/^\| ([A-Z]\d+) /gm)].map(([, rule]) => rule!);
		expect(rows.map(({ rule }) => rule)).toEqual(rules);
		const promised = [...read('docs/promises.md').matchAll(/^\| ([BFS]\d+) \|/gm)].map(([, rule]) => rule!);
		expect(rules.filter((rule) => !rule.startsWith('E')).sort()).toEqual(promised.sort());
	});

	test.each(rows)(
		'$rule: When a reader runs its call, then the answer has what the row says',
		async ({ command, has }) => {
			// An event is in the feed within a second: a reader who is too fast looks again.
			if (command.includes('/events')) await until(async () => (await product.run(command)).includes(has));
			else expect(await product.run(command)).toContain(has);
		},
	);

	test.each(rows)('$rule: Its test is there, and names it where it is a promise', ({ rule, file }) => {
		const path = `test/${file}.test.ts`;
		expect(existsSync(join(root, path))).toBe(true);
		if (rule.startsWith('E')) return; // those of the promises are about the embedded store
		expect(read(path)).toMatch(new RegExp(`['"\`](?:[A-Z]\\d+, )*${rule}(?:, [A-Z]\\d+)*: `));
	});
});
