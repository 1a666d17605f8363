import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { Logger } from '../../../shared/log/log.ts';
import { type Answer, COMMON_HEADERS, JSON_TYPE } from './answer.ts';
import type { Cors } from './cors.ts';
import { type Exchange, requestIdOf } from './exchange.ts';

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

/** A text, except where a plan's limit is reached: programs read that one's fields (contract §7). */
export function envelope(error: ApiError): string {
	const { type, message, retryAfter } = error;
	if (type !== 'plan_limit_exceeded') return JSON.stringify({ error: message });
	return JSON.stringify({ error: { code: 'rate_limit_exceeded', message, retry_after: retryAfter } });
}

function headersOf(error: ApiError): Record<string, string> {
	const headers: Record<string, string> = {};
	if (error.status === 401) headers['WWW-Authenticate'] = 'Bearer';
	if (error.retryAfter !== undefined) headers['Retry-After'] = String(error.retryAfter);
	return headers;
}

const OVERLOAD = new ApiError('service_unavailable');
const OVERLOAD_BODY = envelope(OVERLOAD);
const OVERLOAD_HEADERS: readonly string[] = Object.entries({
	...COMMON_HEADERS,
	'Content-Type': JSON_TYPE,
	'Content-Length': String(Buffer.byteLength(OVERLOAD_BODY)),
	'Retry-After': String(OVERLOAD.retryAfter),
}).flat();

/**
 * An overload refusal: answers 503 before anything is known of a request but its headers. What is spent here is missing
 * for those that are served, so everything that does not change is made beforehand. Node reads and drops a body that
 * comes, or closes the connection after the answer where a client waits for `100 Continue` before it sends one.
 */
export function refuseOverload(request: IncomingMessage, response: ServerResponse, cors: Cors, isLast: boolean): void {
	const headers = [...OVERLOAD_HEADERS, 'X-Request-Id', requestIdOf(request.headers['x-request-id'])];
	for (const [name, value] of Object.entries(cors.headersFor(request.headers.origin))) headers.push(name, value);
	if (isLast) headers.push('Connection', 'close');
	response.writeHead(OVERLOAD.status, headers).end(OVERLOAD_BODY);
}
