import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';

interface Entry {
	version?: string;
	optionalDependencies?: Record<string, string>;
}

const file = resolve(import.meta.dirname, '../../package-lock.json');
const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry> };

/** Where Node would look for `name` from a package at `path`. */
function isLocked(path: string, name: string): boolean {
	for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
		if (packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`]?.version !== undefined) return true;
		if (at === '') return false;
	}
}

/** `npm install` leaves out packages for other platforms where it cannot read them, and `npm ci` then refuses the file. */
test('When a package has parts for other platforms, then the lockfile has every one of them', () => {
	const missing = Object.entries(packages).flatMap(([path, entry]) =>
		Object.keys(entry.optionalDependencies ?? {}).filter((name) => !isLocked(path, name)),
	);
	expect(missing).toEqual([]);
});
