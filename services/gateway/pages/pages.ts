import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readiness } from '../../../shared/process/readiness.ts';
import { openapi } from '../openapi/openapi.ts';
import type { Operation } from '../operations/operation.ts';
import { dataAnswer, JSON_TYPE } from '../pipeline/answer.ts';
import type { Page } from '../pipeline/pipeline.ts';
import { renderer } from './renderer.ts';
import { gzippedText, staticPage } from './static-page.ts';

/**
 * The page may run its two scripts and call this API, and nothing else: no script in its text, no `eval`, no other
 * host. The renderer writes its styles into the page, so those are allowed; a style cannot send a key away, because
 * nothing of another host is loaded.
 */
const POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'unsafe-inline'",
	"connect-src 'self'",
	"img-src 'self' data:",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join('; ');

const FOREVER = 'public, max-age=31536000, immutable'; // a year (RFC 8246)
const SCRIPT = { 'Content-Type': 'text/javascript; charset=utf-8' };

/** What needs no key: the health of this process, and the API reference. */
export function pages(operations: readonly Operation[], readiness: Readiness): Record<string, Page> {
	return {
		'/healthz': () => dataAnswer(200, 'ok'),
		'/readyz': async () => {
			const report = await readiness.report();
			return dataAnswer(report.ready ? 200 : 503, report);
		},
		// No envelope: readers of OpenAPI expect the document itself.
		'/openapi.json': staticPage(() => gzippedText(JSON.stringify(openapi(operations))), { 'Content-Type': JSON_TYPE }),
		...docsPages(),
	};
}

/** The reference for people: a page, its scripts and its icon. */
function docsPages(): Record<string, Page> {
	const { path, gzipped } = renderer();
	const page = file('index.html').replace('{{renderer}}', path);
	return {
		'/docs': text(page, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY }),
		'/docs/start.js': text(file('start.js'), SCRIPT),
		'/docs/icon.svg': text(file('icon.svg'), { 'Content-Type': 'image/svg+xml' }),
		[path]: staticPage(gzipped, { ...SCRIPT, 'Cache-Control': FOREVER }),
	};
}

function text(content: string, headers: Record<string, string>): Page {
	return staticPage(() => gzippedText(content), headers);
}

function file(name: string): string {
	return readFileSync(join(import.meta.dirname, 'browser', name), 'utf8');
}
