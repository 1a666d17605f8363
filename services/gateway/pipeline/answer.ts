import type { HeldMemory } from '../admission/held-memory.ts';
import type { Exchange } from './exchange.ts';

/** An answer before it is sent: everything but the headers that all answers have. */
export interface Answer {
	status: number;
	headers?: Record<string, string>;
	/** JSON, or a page, whose bytes are the same for all who get it; undefined for 204 and 304 */
	body?: string | Buffer;
	/** Whether these bytes are only this answer's: a text always is, a page never */
	isOwn?: boolean;
}

/**
 * Headers of every answer. It is data for programs: no page may frame it, guess another type of it or run anything from
 * it, and no shared cache may keep it (contract §1).
 */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
	'Cache-Control': 'private, no-cache',
	'X-Content-Type-Options': 'nosniff',
	'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
	'Referrer-Policy': 'no-referrer',
	// Pages of other origins load it by a script that CORS allows, or not at all.
	'Cross-Origin-Resource-Policy': 'same-origin',
};

export const JSON_TYPE = 'application/json; charset=utf-8';

/** The envelope of a success (contract §1). */
export function dataAnswer(status: number, data: unknown, headers?: Record<string, string>): Answer {
	return { status, headers, body: JSON.stringify({ data }) };
}

/**
 * Sends an answer, unless the client has gone. Node leaves the body out where the method is HEAD.
 * @param memory is told of what the kernel has no room for
 */
export function send(exchange: Exchange, answer: Answer, isLast: boolean, memory: HeldMemory): void {
	const { response, requestId, headers } = exchange;
	if (response.destroyed || response.headersSent) return;
	const all: Record<string, string | number> = {
		...COMMON_HEADERS,
		'X-Request-Id': requestId,
		...headers,
		...answer.headers,
	};
	if (answer.body !== undefined) {
		all['Content-Type'] ??= JSON_TYPE;
		all['Content-Length'] = Buffer.byteLength(answer.body);
	}
	if (isLast) all.Connection = 'close';
	response.writeHead(answer.status, all).end(answer.body);
	const { body, isOwn = typeof body === 'string' } = answer;
	if (body === undefined || !isOwn) return;
	if (response.socket!.writableLength > 0) hold(exchange, body, memory);
	if (typeof body !== 'string') response.once('close', () => giveBack(body));
}

/**
 * Node's collector counts megabytes outside of its heap for little: it let 150 MB of sent answers lie. By now the kernel
 * has the bytes, or its connection is closed.
 */
function giveBack({ buffer, byteLength }: Buffer): void {
	if (byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** Node gives the memory of an answer back when the last byte of it is with the kernel. */
function hold({ response, accountId = '' }: Exchange, body: string | Buffer, memory: HeldMemory): void {
	const holding = memory.hold(accountId, () => response.destroy());
	response.once('close', () => holding.release());
	holding.grow(Buffer.byteLength(body));
}
