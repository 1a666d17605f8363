import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Answer } from '../pipeline/answer.ts';
import { acceptsGzip } from '../pipeline/content-coding.ts';
import type { Page } from '../pipeline/pipeline.ts';

interface Prepared {
	gzipped: Buffer;
	plain: Buffer;
	etag: string;
}

/**
 * A page that stays the same while the process runs. It is made when it is first asked for, once, and held as it is and
 * compressed: every answer sends these same bytes, however many clients have not taken theirs yet. A client that has it
 * gets 304. Where making it fails, the next request tries again.
 * @param gzipped makes its content, compressed
 * @param headers `Content-Type`, and what else differs from other answers
 */
export function staticPage(gzipped: () => Promise<Buffer>, headers: Record<string, string>): Page {
	let prepared: Promise<Prepared> | undefined;
	const prepare = () => {
		prepared ??= gzipped().then(async (content) => ({
			gzipped: content,
			plain: await promisify(gunzip)(content),
			etag: etagOf(content),
		}));
		prepared.catch(() => {
			prepared = undefined;
		});
		return prepared;
	};
	return async (request) => answerTo(request, await prepare(), headers);
}

export function gzippedText(text: string | Buffer): Promise<Buffer> {
	return promisify(gzip)(text);
}

function answerTo(request: IncomingMessage, page: Prepared, rest: Record<string, string>): Answer {
	const headers: Record<string, string> = { ETag: page.etag, Vary: 'Origin, Accept-Encoding', ...rest };
	if (hasIt(request.headers['if-none-match'], page.etag)) return { status: 304, headers };
	if (acceptsGzip(request.headers['accept-encoding'])) {
		return { status: 200, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: page.gzipped };
	}
	return { status: 200, headers, body: page.plain };
}

/** Weak: the same content has several encodings (RFC 9110 §8.8.3.3). */
function etagOf(content: Buffer): string {
	return `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

function hasIt(ifNoneMatch: string | undefined, etag: string): boolean {
	return ifNoneMatch?.split(',').some((tag) => tag.trim() === etag || tag.trim() === etag.slice(2)) ?? false;
}
