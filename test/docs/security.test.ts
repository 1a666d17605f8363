import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const testFiles = readdirSync(new URL('test', ROOT), { recursive: true, encoding: 'utf8' }).map(
	(file) => `test/${file}`,
);

/** The rows of "What is promised": what, and what holds it. */
function promises(): { promise: string; heldBy: string }[] {
	const [, rest = ''] = read('SECURITY.md').split('## What is promised');
	const [section = ''] = rest.split('## What is not promised');
	const rows = section.split('\n').filter((line) => line.startsWith('| ') && !/^\| (Promise|-)/.test(line));
	return rows.map((row) => {
		const [, promise = '', heldBy = ''] = row.split('|').map((cell) => cell.trim());
		return { promise, heldBy };
	});
}

describe('SECURITY.md', () => {
	test('When it promises something, then it names tests that are there, and the must is in their names', () => {
		expect(promises().length).toBeGreaterThan(20);
		for (const { promise, heldBy } of promises()) {
			const named = [...heldBy.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, path]) => path!);
			const files = named.map((path) => testFiles.find((file) => file === path || basename(file) === path));
			expect({ promise, files: files.length > 0 && files.every((file) => file !== undefined) }).toEqual({
				promise,
				files: true,
			});
			const [must] = /^[A-Z]\d+(?=:)/.exec(heldBy) ?? [];
			if (must === undefined) continue;
			const texts = files.map((file) => read(file!));
			expect({ promise, must, isNamed: texts.some((text) => new RegExp(`\\b${must}\\b`).test(text)) }).toEqual({
				promise,
				must,
				isNamed: true,
			});
		}
	});
});
