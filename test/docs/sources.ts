import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Of the project */
export const root = new URL('../..', import.meta.url).pathname;

/** @param file as a path from the project's root */
export const read = (file: string) => readFileSync(join(root, file), 'utf8');

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** Relative imports of a file, as paths from the project's root. */
export function imports(file: string): string[] {
	return [...read(file).matchAll(IMPORT)].map(([, target]) => relative(root, join(root, dirname(file), target!)));
}
