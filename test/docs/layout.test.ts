import { globSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { imports, read, root } from './sources.ts';

const sources = globSync(['main.ts', 'moleculer.config.ts', '{ops,services,shared}/**/*.ts'], { cwd: root });
const graph = new Map(sources.map((file) => [file, imports(file)]));

/** Imports of the files of a folder that go to none of the places that it may know. */
function strays(folder: string, known: (file: string) => readonly string[]): [string, string][] {
	const files = sources.filter((file) => file.startsWith(folder));
	expect(files.length).toBeGreaterThan(10);
	return files.flatMap((file) =>
		graph
			.get(file)!
			.filter((target) => !known(file).some((place) => target.startsWith(place)))
			.map((target): [string, string] => [file, target]),
	);
}

/** The files from one on its way back to itself. */
function circle(file: string, way: readonly string[], done: Set<string>): string[] | undefined {
	if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
	if (done.has(file)) return undefined;
	for (const target of graph.get(file) ?? []) {
		const found = circle(target, [...way, file], done);
		if (found) return found;
	}
	done.add(file);
	return undefined;
}

describe('the layout', () => {
	test('A service imports from its own folder and from shared/ only', () => {
		const own = (file: string) => `${file.split('/').slice(0, 2).join('/')}/`;
		expect(strays('services/', (file) => [own(file), 'shared/'])).toEqual([]);
	});

	test('The command line imports from its own folder and from shared/ only; its entry starts a broker, and what moves or checks whole stores knows the services', () => {
		const more = (file: string) =>
			file === 'ops/command-line.ts' ? ['moleculer.config.ts'] : file.startsWith('ops/moving/') ? ['services/'] : [];
		const known = (file: string) => ['ops/', 'shared/', ...more(file)];
		expect(strays('ops/', known)).toEqual([]);
	});

	test('What is shared imports nothing from a service, and nothing from the command line', () => {
		expect(strays('shared/', () => ['shared/', 'package.json'])).toEqual([]);
	});

	test('The contract imports nothing but itself', () => {
		expect(strays('shared/contract/', () => ['shared/contract/'])).toEqual([]);
	});

	test('No import goes in a circle', () => {
		const done = new Set<string>();
		for (const file of sources) expect(circle(file, [], done)).toBeUndefined();
	});

	test('Source files are short: the median below 150 lines, none over 300', () => {
		const lengths = sources.map((file) => read(file).split('\n').length);
		lengths.sort((a, b) => a - b);
		expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThan(150);
		expect(lengths.at(-1)).toBeLessThanOrEqual(300);
	});
});
