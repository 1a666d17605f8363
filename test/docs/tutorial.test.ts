import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '../support/until.ts';
import { describePrinted, printedCalls, ReadersProduct, shown } from './printed.ts';
import { read } from './sources.ts';

/** The story is set in March 2027: what it tells of dates to come must go on lying ahead. */
const NOW = '2027-03-01T08:00:00Z';

const page = read('docs/tutorial.md');
const calls = printedCalls(page).map(({ command, answer }) => [command, answer!] as const);

describePrinted('docs/tutorial.md', () => {
	let product: ReadersProduct;
	beforeAll(() => {
		product = new ReadersProduct(NOW);
		return product.ready();
	});
	afterAll(() => product?.stop());

	test('Each of its calls has its answer below it, and each variable that they use is set on the page', () => {
		expect(calls.length).toBeGreaterThan(15);
		expect(calls.filter(([, answer]) => answer === undefined)).toEqual([]);
		const used = new Set(calls.flatMap(([command]) => [...command.matchAll(/\$(\w+)/g)].map(([, name]) => name)));
		const set = [...page.matchAll(/^export (\w+)=/gm)].map(([, name]) => name);
		expect([...used].sort()).toEqual(set.sort());
	});

	test.each(calls)('When a reader runs\n%s\nthen the answer is the one that is shown', async (command, answer) => {
		// An event is in the feed within a second: a reader who is too fast looks again.
		if (command.includes('/events')) await until(async () => shown(answer).test(await product.run(command)));
		else expect(await product.run(command)).toMatch(shown(answer));
	});
});
