import { describe, expect, test } from '@jest/globals';
import { imports, read } from './sources.ts';

const picture = /```mermaid\n(.*?)```/s.exec(read('docs/architecture.md'))![1]!;

/** Nodes of the picture, `name[file]`. */
const files = new Map([...picture.matchAll(/(\w+)\[([^\]]+)\]/g)].map(([, name, file]) => [name!, file!]));
/** Each line is a chain of nodes with arrows between. */
const arrows = picture.split('\n').flatMap((line) => {
	const parts = line.replaceAll(/\[[^\]]+\]/g, '').split(/\s+(-->|-\.\s\S+\s\.->)\s+/);
	return parts.flatMap((arrow, at) =>
		at % 2 === 1
			? [{ from: parts[at - 1]!.trim(), to: parts[at + 1]!.trim(), action: /\S+\.\w+/.exec(arrow)?.[0] }]
			: [],
	);
});

describe('the picture of the way of a booking', () => {
	const importing = arrows.filter(({ action }) => action === undefined);
	const calling = arrows.filter(({ action }) => action !== undefined);

	test('Each solid arrow is an import', () => {
		expect(importing.length).toBeGreaterThan(10);
		const missing = importing.filter(({ from, to }) => !imports(files.get(from)!).includes(files.get(to)!));
		expect(missing).toEqual([]);
	});

	test('Each dotted arrow is a call of an action that the service has', () => {
		expect(calling.map(({ action }) => action)).toHaveLength(5);
		for (const { from, to, action } of calling) {
			const [service, name] = action!.split('.');
			expect(read(files.get(from)!)).toContain(`'${action}'`);
			expect(files.get(to)).toBe(`services/${service}/${service}.service.ts`);
			expect(read(files.get(to)!)).toMatch(new RegExp(`\\b${name}\\b`));
		}
	});
});
