import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The program of the console, which a browser runs (ADR 45) */
export const SOURCES = join(import.meta.dirname, 'console');
const PACKAGES = join(import.meta.dirname, '../../../node_modules');
/** What was made of it: beside the packages, which `npm ci` makes anew with it */
export const MADE = join(PACKAGES, '.cache/slotwise-console');
/** The last file of what was made: says what it was made of */
export const STAMP = 'stamp';
/** npm writes it at every change of what is installed. */
const INSTALLED = join(PACKAGES, '.package-lock.json');

/** Another one where a source was written again, or other packages are installed. */
export function stampOfSources(): string {
	const entries = readdirSync(SOURCES, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
	const stamps = [...files.sort(), INSTALLED].map((file) => {
		const { mtimeMs, size } = statSync(file);
		return `${file} ${mtimeMs} ${size}`;
	});
	return stamps.join('\n');
}
