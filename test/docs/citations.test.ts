import { existsSync, globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { read, root } from './sources.ts';

const FOLDERS = 'bench,clients,docs,k8s,monitoring,ops,services,shared,test';
const FILES = [`{${FOLDERS}}/**/*.{ts,js,mjs,lua,md,yaml,yml,sh}`, '*.{ts,js,md,json,yml}', '.ci/*'];
const PROMISE = '(?:SIM|[A-Z])\\d{1,2}';
/** As the page lists it */
const ROW = new RegExp(`^\\| (${PROMISE}) \\|`, 'gm');

/** What all files say that matches, as `file: match`. */
function citations(pattern: RegExp, files = texts): { file: string; cited: string }[] {
	return [...files].flatMap(([file, text]) =>
		[...text.matchAll(pattern)].map(([, cited]) => ({ file, cited: cited! })),
	);
}

const texts = new Map(
	globSync(FILES, { cwd: root, exclude: (name) => /node_modules|^dist$/.test(name) }).map((file) => [file, read(file)]),
);
const promises = [...read('docs/promises.md').matchAll(ROW)].map(([, promise]) => promise!);
const pages = new Map([...texts].filter(([file]) => file.endsWith('.md')));
const sources = new Map([...texts].filter(([file]) => /\.[jt]s$/.test(file)));
const tests = new Map([...texts].filter(([file]) => file.startsWith('test/')));

describe('citations', () => {
	test('Each paragraph of the contract that is cited is there', () => {
		const there = new Set([...read('docs/contract.md').matchAll(/^## (\d+)\./gm)].map(([, number]) => number));
		const cited = citations(/contract(?:'s)? \(?((?:(?:, )?§\d+)+)/g).flatMap(({ file, cited: each }) =>
			[...each.matchAll(/\d+/g)].map(([number]) => ({ file, number })),
		);
		expect(cited.length).toBeGreaterThan(50);
		expect(cited.filter(({ number }) => !there.has(number))).toEqual([]);
	});

	test('Each promise that is cited, or that a test names, is there', () => {
		const there = new Set(promises);
		const inTests = citations(new RegExp(`['"\`](${PROMISE}(?:, ${PROMISE})*): [A-Z%$]`, 'g'), tests);
		const inTexts = citations(new RegExp(`\\bpromises? (${PROMISE}(?:(?:, | and )${PROMISE})*)`, 'g'));
		expect(inTests.length).toBeGreaterThan(300);
		expect(inTexts.length).toBeGreaterThan(40);
		const unknown = [...inTests, ...inTexts].filter(
			({ cited }) => !cited.match(new RegExp(PROMISE, 'g'))!.every((promise) => there.has(promise)),
		);
		expect(unknown).toEqual([]);
	});

	test('Each number stands for one promise', () => {
		const twice = promises.filter((promise, index) => promises.indexOf(promise) < index);
		expect(twice).toEqual([]);
	});

	test('Each promise has a test, and each test that the page names is there', () => {
		const rows = read('docs/promises.md')
			.split('\n')
			.filter((line) => line.match(ROW));
		expect(rows.length).toBeGreaterThan(60);
		for (const row of rows) {
			const named = [...row.matchAll(/`([a-z]+\/[a-z/-]+)`/g)].map(([, name]) => `test/${name}.test.ts`);
			expect([row, named.length]).not.toEqual([row, 0]);
			expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
		}
	});

	test('Each decision that is cited is there', () => {
		const numbers = new Set(globSync('docs/adr/*.md', { cwd: root }).map((file) => Number(file.slice(9, 13))));
		const cited = citations(/(?:\bADR |docs\/adr\/)(\d+)/g);
		expect(cited.length).toBeGreaterThan(50);
		expect(cited.filter(({ cited: number }) => !numbers.has(Number(number)))).toEqual([]);
	});

	test('Each file that a comment or a page names is there', () => {
		const path = `((?:${FOLDERS.replaceAll(',', '|')})/[\\w./-]+\\.(?:ts|js|mjs|md|json|ya?ml|sh|c|py|go))\\b`;
		const named = citations(new RegExp(`(?:^|[\\s\`(])${path}`, 'gm')).filter(({ file }) => file !== 'CHANGELOG.md');
		expect(named.length).toBeGreaterThan(50);
		expect(named.filter(({ cited }) => !existsSync(join(root, cited)))).toEqual([]);
	});

	test('Each source file that a comment names by its last part is there', () => {
		const known = new Set([...texts.keys()].map((file) => basename(file)));
		const comments = citations(/(?:\/\/|^\s*\/?\*+)(.*)/gm, sources).flatMap(({ file, cited }) =>
			[...cited.matchAll(/(?<![\w/.*-])(?:[\w-]+\/)*([\w-]+(?:\.\w+)*\.(?:ts|lua))\b/g)].map(([, name]) => ({
				file,
				name: name!,
			})),
		);
		expect(comments.length).toBeGreaterThan(20);
		expect(comments.filter(({ name }) => !known.has(name))).toEqual([]);
	});

	test('Each link of a page leads somewhere', () => {
		const links = citations(/\]\((?!https?:|#|mailto:|data:)([^)#\s]+)/g, pages);
		expect(links.length).toBeGreaterThan(50);
		const broken = links.filter(({ file, cited }) => !existsSync(join(root, dirname(file), cited)));
		expect(broken).toEqual([]);
	});
});
