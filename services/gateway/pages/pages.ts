import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Readiness } from '../../../shared/process/readiness.ts';
import { openapi } from '../openapi/openapi.ts';
import type { Operation } from '../operations/operation.ts';
import { type Answer, dataAnswer, JSON_TYPE } from '../pipeline/answer.ts';
import type { Page } from '../pipeline/pipeline.ts';
import { consoleFile } from './console-files.ts';
import { gzippedText, staticPage } from './static-page.ts';

/**
 * The page may run its two scripts and call this API, and nothing else: no script in its text, no `eval`, no other
 * host. The renderer writes its styles into the page, so those are allowed; a style cannot send a key away, because
 * nothing of another host is loaded.
 */
const POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self' 'unsafe-inline'",
	"font-src 'self'",
	"connect-src 'self'",
	"img-src 'self' data:",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join('; ');

/** The console writes no style into its page, and takes no text for markup: not even by mistake. */
const CONSOLE_POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"font-src 'self'",
	"connect-src 'self'",
	"img-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
	"require-trusted-types-for 'script'",
	"trusted-types 'none'",
].join('; ');

const FOREVER = 'public, max-age=31536000, immutable'; // a year (RFC 8246)
const HTML = 'text/html; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const SCRIPT = { 'Content-Type': 'text/javascript; charset=utf-8' };

/** What needs no key: the health of this process, the API reference, and the console, which asks for one. */
export function pages(operations: readonly Operation[], readiness: Readiness): Record<string, Page> {
	return {
		'/': front,
		'/healthz': () => dataAnswer(200, 'ok'),
		'/readyz': async () => {
			const report = await readiness.report();
			return dataAnswer(report.ready ? 200 : 503, report);
		},
		// No envelope: readers of OpenAPI expect the document itself.
		'/openapi.json': staticPage(() => gzippedText(JSON.stringify(openapi(operations))), { 'Content-Type': JSON_TYPE }),
		...docsPages(),
		...consolePages(),
	};
}

/** Where to go from here. A browser, which asks for HTML by name, is taken to the reference; a program is told. */
function front({ headers }: IncomingMessage): Answer {
	const places = { api: '/v1', reference: '/docs', openapi: '/openapi.json', console: '/console' };
	const wantsPage = headers.accept?.toLowerCase().includes('text/html') ?? false;
	const vary = { Vary: 'Origin, Accept' };
	return wantsPage ? dataAnswer(302, places, { ...vary, Location: '/docs' }) : dataAnswer(200, places, vary);
}

/** The reference for people: a page, its scripts, its style and its icon. */
function docsPages(): Record<string, Page> {
	const { path, gzipped } = renderer();
	const page = file('index.html').replace('{{renderer}}', path);
	return {
		'/docs': text(page, { 'Content-Type': HTML, 'Content-Security-Policy': POLICY }),
		'/docs/start.js': text(file('start.js'), SCRIPT),
		'/docs/reference.css': text(file('reference.css'), { 'Content-Type': CSS }),
		'/docs/icon.svg': text(file('icon.svg'), { 'Content-Type': 'image/svg+xml' }),
		[path]: staticPage(gzipped, { ...SCRIPT, 'Cache-Control': FOREVER }),
	};
}

/** The console for a provider's staff: a page that calls the API with the key that somebody types into it. */
function consolePages(): Record<string, Page> {
	return {
		'/console': consoleFile('index.html', { 'Content-Type': HTML, 'Content-Security-Policy': CONSOLE_POLICY }),
		'/console/console.js': consoleFile('console.js', SCRIPT),
		'/console/console.css': consoleFile('console.css', { 'Content-Type': CSS }),
		'/console/inter.woff2': consoleFile('inter.woff2', { 'Content-Type': 'font/woff2' }),
	};
}

function text(content: string, headers: Record<string, string>): Page {
	return staticPage(() => gzippedText(content), headers);
}

function file(name: string): string {
	return readFileSync(join(import.meta.dirname, 'browser', name), 'utf8');
}

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
function renderer(): Renderer {
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
