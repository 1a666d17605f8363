import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describePrinted, printedCalls, ReadersProduct, shown } from './printed.ts';
import { read } from './sources.ts';

const calls = printedCalls(read('README.md')).map(({ command, answer }) => [command, answer!] as const);

describePrinted('the README', () => {
	let product: ReadersProduct;
	beforeAll(() => {
		product = new ReadersProduct();
		return product.ready();
	});
	afterAll(() => product?.stop());

	test('It shows four calls', () => {
		expect(calls).toHaveLength(4);
	});

	test.each(calls)('When a reader runs\n%s\nthen the answer is the one that is shown', async (command, answer) => {
		expect(await product.run(command)).toMatch(shown(answer));
	});

	test('The figures of the simulator are those of docs/proof.md', () => {
		const mistakes = read('docs/proof.md').match(/^\| X\d+ .*$/gm)!;
		const found = mistakes.filter((row) => /\bin the (\w+ )?world\b|\bfrom seed \d+ on, in CI\b/.test(row));
		expect(read('README.md').replaceAll(/\s+/g, ' ')).toContain(
			`Of ${mistakes.length} mistakes that were put back on purpose it found ${found.length},`,
		);
	});

	test('The line that the first start prints works as it is printed', async () => {
		const printed = /( {2}curl -s [\s\S]*?)\n\n/.exec(readFileSync(product.log, 'utf8'))![1]!;
		expect(JSON.parse(await product.run(printed))).toMatchObject({ data: { id: 2, name: 'Piano lesson' } });
	});
});
