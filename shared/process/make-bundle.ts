import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BUNDLES, MANIFEST, type Manifest, ROOT, stampOf } from './current-bundle.ts';
import { placesOfSources } from './places-of-sources.ts';

/**
 * `npm run bundle`, which `npm ci` ends with: puts the product and its packages into a few files, so that the embedded
 * form starts in half the time (ADR 21). Where they cannot be made, nothing else changes.
 */

/** npm writes it at every change of what is installed */
const INSTALLED = 'node_modules/.package-lock.json';

/** Packages that stay where they are: the first one looks for files beside its own; traces are seldom on. */
const BESIDE = ['moleculer-repl', /^@opentelemetry\/(exporter|resources|sdk)/];

await makeBundle().catch((error: Error) => {
	process.stderr.write(`No bundle was made, so that starts take longer: ${error.message}\n`);
});

async function makeBundle(): Promise<void> {
	const { rolldown } = await import('rolldown'); // a package for development: it may not be there
	const began = Date.now();
	const directory = join(BUNDLES, String(began));
	const bundle = await rolldown({
		input: join(ROOT, 'main.ts'),
		platform: 'node',
		external: BESIDE,
		plugins: [placesOfSources],
		logLevel: 'silent', // Moleculer names packages that are not installed
	});
	const names = { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' };
	const { output } = await bundle.write({ dir: directory, ...names });
	const sources = (await bundle.watchFiles).filter((file) => !file.includes('node_modules'));
	await bundle.close();
	if (sources.some((file) => statSync(file).mtimeMs >= began)) throw new Error('a source was written meanwhile');
	const written = output.map(({ fileName }) => join(directory, fileName));
	const made = [...sources, ...written, join(ROOT, 'package.json'), join(ROOT, INSTALLED)];
	const stamps = Object.fromEntries(made.map((file) => [relative(ROOT, file), stampOf(file)]));
	save({ root: ROOT, entry: relative(ROOT, written[0]!), stamps });
	removeOlder();
}

/** At once: who starts meanwhile reads the one before. */
function save(manifest: Manifest): void {
	writeFileSync(`${MANIFEST}.new`, JSON.stringify(manifest));
	renameSync(`${MANIFEST}.new`, MANIFEST);
}

/** All but this one and the one before, which a process may be loading. */
function removeOlder(): void {
	const directories = readdirSync(BUNDLES).filter((name) => /^\d+$/.test(name));
	for (const name of directories.sort().slice(0, -2)) rmSync(join(BUNDLES, name), { recursive: true });
}
