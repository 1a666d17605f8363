import type { ServerResponse } from 'node:http';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { Logger } from '../../../shared/log/log.ts';
import type { Admission } from '../admission/admission.ts';
import type { HeldMemory } from '../admission/held-memory.ts';
import { LARGE, type LargeAnswers, type Sending } from '../admission/large-answers.ts';
import type { Exchange } from './exchange.ts';
import { writeHead } from './head.ts';

/** Bytes of a large answer that are handed over at once */
const PIECE = 256 * 1024;

/** An answer before it is sent: everything but the headers that all answers have. */
export interface Answer {
	status: number;
	headers?: Record<string, string>;
	/** JSON, or a page, whose bytes are the same for all who get it; undefined for 204 and 304 */
	body?: string | Buffer;
	/** Whether these bytes are only this answer's: a text always is, a page never */
	isOwn?: boolean;
	/** Of a large one, for which there is room */
	sending?: Sending;
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
	const { body, sending, isOwn = typeof body === 'string' } = answer;
	writeHead(response, answer.status, all);
	if (sending !== undefined && Buffer.isBuffer(body)) sendInPieces(response, body, sending);
	else response.end(body);
	if (body === undefined || !isOwn) return;
	if (sending === undefined && response.socket!.writableLength > 0) hold(exchange, body, memory);
	if (typeof body !== 'string') response.once('close', () => giveBack(body));
}

/**
 * A large answer waits until it may go, before the next long one of its account is made.
 * @throws service_unavailable, gateway_timeout
 */
export async function withRoom(
	made: Answer,
	{ accountId = '', reading, response }: Exchange,
	{ admission, large }: { admission: Admission; large: LargeAnswers },
): Promise<Answer> {
	const { body } = made;
	if (!Buffer.isBuffer(body) || body.length < LARGE || reading === undefined) return made;
	const sending = await admission.whileIdle(large.room(accountId, body.length, reading, () => cut(response)));
	if (response.destroyed) sending.end();
	else response.once('close', () => sending.end());
	return { ...made, sending };
}

/** So that it is known how far the client has come. */
function sendInPieces(response: ServerResponse, body: Buffer, sending: Sending): void {
	let at = 0;
	const goOn = (): void => {
		while (at + PIECE < body.length) {
			const isTaken = response.write(body.subarray(at, at + PIECE));
			at += PIECE;
			if (!isTaken) {
				response.once('drain', () => {
					sending.taken(PIECE);
					goOn();
				});
				return;
			}
			sending.taken(PIECE);
		}
		response.end(body.subarray(at));
	};
	goOn();
}

/**
 * Node's collector counts megabytes outside of its heap for little: it let 150 MB of sent answers lie. By now the kernel
 * has the bytes, or its connection is closed.
 */
export function giveBack({ buffer, byteLength }: Buffer): void {
	if (byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** Node gives the memory of an answer back when the last byte of it is with the kernel. */
function hold({ response, accountId = '' }: Exchange, body: string | Buffer, memory: HeldMemory): void {
	const holding = memory.hold(accountId, () => cut(response));
	response.once('close', () => holding.release());
	holding.grow(Buffer.byteLength(body));
}

/** By a reset: after a mere end the kernel would keep for minutes what it has for the client. */
function cut(response: ServerResponse): void {
	response.socket?.resetAndDestroy();
}

/**
 * The one exit for errors: an error of the catalogue is answered with its status and text; anything else is a bug, of
 * which the log gets everything and the client nothing.
 */
export function errorAnswer(error: unknown, exchange: Exchange, logger: Logger): Answer {
	if (error instanceof ApiError) return { status: error.status, headers: headersOf(error), body: envelope(error) };
	const operation = exchange.operation?.id;
	const { requestId, traceId } = exchange;
	logger.error({ request_id: requestId, trace_id: traceId, operation, err: error }, 'internal error');
	return { status: 500, body: envelope(new ApiError('internal_error')) };
}

/**
 * The envelope of a failure: a text for people, a code and the fields for programs. Where a plan's limit is reached, the
 * interface has an object in place of the text (contract §7).
 */
export function envelope({ type: code, message, retryAfter, faults, alternatives }: ApiError): string {
	const error = code === 'rate_limit_exceeded' ? { code, message, retry_after: retryAfter } : message;
	return JSON.stringify({ error, code, faults, alternatives });
}

function headersOf(error: ApiError): Record<string, string> {
	const headers: Record<string, string> = {};
	if (error.status === 401) headers['WWW-Authenticate'] = 'Bearer';
	if (error.retryAfter !== undefined) headers['Retry-After'] = String(error.retryAfter);
	return headers;
}
