import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { MADE, SOURCES, STAMP, stampOfSources } from './console-sources.ts';

/**
 * The second half of `npm run bundle`: puts the console and its packages into a script, a style sheet and a font (ADR 45).
 * The gateway runs it, too, where the sources were edited since (`console-files.ts`).
 */

const { resolve } = createRequire(import.meta.url);
/** They come before our own, which change them. */
const STYLES = ['fullcalendar/skeleton.css', 'fullcalendar/themes/classic/theme.css'];
const FONT = '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2';

await makeConsole().catch((error: Error) => {
	process.stderr.write(`No console was made: ${error.message}\n`);
});

async function makeConsole(): Promise<void> {
	const { rolldown } = await import('rolldown'); // a package for development: it may not be there
	const stamp = stampOfSources();
	const bundle = await rolldown({
		input: join(SOURCES, 'main.tsx'),
		platform: 'browser',
		tsconfig: false,
		transform: { jsx: { runtime: 'automatic', importSource: 'preact' } },
		logLevel: 'silent',
	});
	const { output } = await bundle.generate({
		format: 'esm',
		minify: true,
		codeSplitting: false,
	});
	await bundle.close();
	mkdirSync(MADE, { recursive: true });
	save('index.html', readFileSync(join(SOURCES, 'index.html')));
	save('console.js', output[0].code);
	save('console.css', styles());
	save('inter.woff2', readFileSync(resolve(FONT)));
	save(STAMP, stamp);
}

function styles(): string {
	const directory = join(SOURCES, 'styles');
	const own = readdirSync(directory).sort();
	const files = [...STYLES.map((name) => resolve(name)), ...own.map((name) => join(directory, name))];
	return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}

/** At once: who reads meanwhile has the one before or this one, whole. */
function save(name: string, content: string | Buffer): void {
	const file = join(MADE, name);
	writeFileSync(`${file}.${process.pid}`, content);
	renameSync(`${file}.${process.pid}`, file);
}
