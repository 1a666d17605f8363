import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

interface Renderer {
	/** Names its version, so that a browser may keep it for good */
	path: string;
	/** Its script, compressed */
	gzipped(): Promise<Buffer>;
}

/**
 * The program that shows the reference in a browser: Scalar's, out of the one npm package that has it as a file without
 * half a Vue toolchain (ADR 11). The package is 4 MB of source text, so it is neither loaded before somebody asks for
 * it nor kept: a thread takes the script out, compresses it, and ends. The event loop does not notice.
 */
export function renderer(): Renderer {
	const manifest = new URL('../package.json', import.meta.resolve('@scalar/fastify-api-reference'));
	const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
	return { path: `/docs/scalar-${version}.js`, gzipped: extract };
}

function extract(): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		const worker = new Worker(new URL('./extract-renderer.ts', import.meta.url));
		worker.once('message', (gzipped: Uint8Array) => resolve(Buffer.from(gzipped)));
		worker.once('error', reject);
		worker.once('exit', () => reject(new Error('the reference renderer was not found in its package')));
	});
}
