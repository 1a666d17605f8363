import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const ROOT = join(import.meta.dirname, '../..');
/** Where a bundle is: beside the packages, which `npm ci` makes anew with it. */
export const BUNDLES = join(ROOT, 'node_modules/.cache/slotwise-bundle');
export const MANIFEST = join(BUNDLES, 'manifest.json');

/** A bundle, and what it was made of; paths are relative to `root`. */
export interface Manifest {
	/** Where the product was then: its sources are known to the bundle by their whole paths */
	root: string;
	entry: string;
	/** What {@link stampOf} told of each file that it was made of, and of its own */
	stamps: Record<string, string>;
}

/** Another one where the file was written again. */
export function stampOf(file: string): string {
	const { mtimeMs, size } = statSync(file);
	return `${mtimeMs} ${size}`;
}

/**
 * URL of the bundle that `make-bundle.ts` made; undefined where there is none, or where a file that it was made of has
 * changed since: then the sources run. So do those of a cluster's process, for it mends the driver that mongoose
 * loads (driver-patches.ts), and a bundle has a copy of its own.
 */
export function currentBundle(environment: Record<string, string | undefined>): string | undefined {
	if (environment.MONGO_URL) return undefined;
	try {
		const { root, entry, stamps } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest;
		const isCurrent =
			root === ROOT && Object.entries(stamps).every(([file, stamp]) => stampOf(join(ROOT, file)) === stamp);
		return isCurrent ? pathToFileURL(join(ROOT, entry)).href : undefined;
	} catch {
		return undefined; // there is none, or one of its files is gone
	}
}
