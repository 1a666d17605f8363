import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Page } from '../pipeline/pipeline.ts';
import { MADE, STAMP, stampOfSources } from './console-sources.ts';
import { gzippedText, staticPage } from './static-page.ts';

const MISSING = {
	status: 404,
	headers: { 'Content-Type': 'text/plain; charset=utf-8' },
	body: 'There is no console here: `npm run bundle` makes it, where the packages for development are installed.\n',
};

/**
 * A file of the console, as it was made by `npm run bundle`. Where the sources were edited since, it is made anew when it is
 * first asked for, in a thread. Where that cannot be, as in the image, which has no packages for development, what is there
 * is served.
 */
export function consoleFile(name: string, headers: Record<string, string>): Page {
	const page = staticPage(async () => {
		if (!(await isCurrent())) await made();
		return gzippedText(await readFile(join(MADE, name)));
	}, headers);
	return async (request) => {
		try {
			return await page(request);
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === 'ENOENT') return MISSING;
			throw error;
		}
	};
}

async function isCurrent(): Promise<boolean> {
	try {
		return (await readFile(join(MADE, STAMP), 'utf8')) === stampOfSources();
	} catch {
		return false; // there is none
	}
}

let making: Promise<void> | undefined;

/** Tries to make it; whoever asks meanwhile waits for the same. What could not be made is told by what is not there. */
function made(): Promise<void> {
	making ??= new Promise<void>((resolve) => {
		const worker = new Worker(new URL('./make-console.ts', import.meta.url), { stderr: true });
		worker.once('error', () => resolve());
		worker.once('exit', () => resolve());
	}).finally(() => {
		making = undefined;
	});
	return making;
}
