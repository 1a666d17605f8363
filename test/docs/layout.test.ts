import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = new URL('../..', import.meta.url).pathname;
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** Relative imports of a file, as paths from the project's root. */
function imports(file: string): string[] {
	const text = readFileSync(join(root, file), 'utf8');
	return [...text.matchAll(IMPORT)].map(([, target]) => relative(root, join(root, dirname(file), target!)));
}

describe('the layout', () => {
	const services = globSync('services/**/*.ts', { cwd: root });
	const shared = globSync('shared/**/*.ts', { cwd: root });

	test('A service imports from its own folder and from shared/ only', () => {
		expect(services.length).toBeGreaterThan(100);
		const strays = services.flatMap((file) => {
			const own = file.split('/').slice(0, 2).join('/');
			return imports(file)
				.filter((target) => !target.startsWith(`${own}/`) && !target.startsWith('shared/'))
				.map((target) => [file, target]);
		});
		expect(strays).toEqual([]);
	});

	test('What is shared imports nothing from a service', () => {
		const entry = { file: 'ops/main.ts', needs: 'moleculer.config.ts' }; // starts a broker, as main.ts does
		const strays = shared.flatMap((file) =>
			imports(file)
				.filter((target) => !target.startsWith('shared/') && !(file === entry.file && target === entry.needs))
				.map((target) => [file, target]),
		);
		expect(strays).toEqual([]);
	});

	test('Source files are short: the median below 150 lines, none over 300', () => {
		const lengths = [...services, ...shared].map((file) => readFileSync(join(root, file), 'utf8').split('\n').length);
		lengths.sort((a, b) => a - b);
		expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThan(150);
		expect(lengths.at(-1)).toBeLessThanOrEqual(300);
	});
});
