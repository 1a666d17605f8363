import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { variables } from '../../shared/config/variables.ts';
import { catalogue, faultCodes } from '../../shared/contract/errors.ts';

/** The rows of a Markdown table whose first cell is code. */
function rows(file: string): string[][] {
	const text = readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8');
	const lines = text.split('\n').filter((line) => line.startsWith('| `'));
	return lines.map((line) =>
		line
			.split('|')
			.slice(1, -1)
			.map((cell) => cell.trim()),
	);
}

describe('the documentation', () => {
	test('docs/errors.md lists every error with its status and text, and no other', () => {
		const documented = rows('errors.md').filter((cells) => cells.length === 4);
		expect(documented.map(([type, status, text]) => [type, status, text])).toEqual(
			Object.entries(catalogue).map(([type, error]) => [`\`${type}\``, String(error.status), error.text]),
		);
		for (const [type, , , when] of documented) expect([type, when]).not.toContain('');
	});

	test('docs/errors.md lists every code of a fault, and no other', () => {
		const documented = rows('errors.md').filter((cells) => cells.length === 2);
		expect(documented.map(([code]) => code)).toEqual(faultCodes.map((code) => `\`${code}\``));
		for (const [code, when] of documented) expect([code, when]).not.toContain('');
	});

	test('docs/operations.md lists every variable with its default and meaning, and no other', () => {
		const documented = rows('operations.md').filter(([name]) => /^`[A-Z_]+`$/.test(name!));
		expect(documented.map(([name, fallback, meaning]) => [name, fallback, meaning])).toEqual(
			Object.entries(variables).map(([name, variable]) => [
				`\`${name}\``,
				'default' in variable && variable.default !== '' ? `\`${variable.default}\`` : 'none',
				variable.meaning,
			]),
		);
	});

	test('docs/dependencies.md has a line for each package, and no other', () => {
		const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
		const packages = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)];
		const documented = rows('dependencies.md').flatMap(([cell]) =>
			[...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
		);
		const own = documented.filter((name) => !name.startsWith('node-'));
		expect(own.sort()).toEqual(packages.sort());
	});
});
