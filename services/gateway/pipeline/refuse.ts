import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../../../shared/contract/errors.ts';
import { COMMON_HEADERS, JSON_TYPE } from './answer.ts';
import type { Cors } from './cors.ts';
import { envelope } from './error-answer.ts';
import { requestIdOf } from './request-id.ts';

const error = new ApiError('service_unavailable');
const BODY = envelope(error);
const HEADERS: readonly string[] = Object.entries({
	...COMMON_HEADERS,
	'Content-Type': JSON_TYPE,
	'Content-Length': String(Buffer.byteLength(BODY)),
	'Retry-After': String(error.retryAfter),
}).flat();

/**
 * Answers 503 before anything is known of a request but its headers. What is spent here is missing for those that are
 * served, so everything that does not change is made beforehand. Node reads and drops a body that comes, or closes the
 * connection after the answer where a client waits for `100 Continue` before it sends one.
 */
export function refuse(request: IncomingMessage, response: ServerResponse, cors: Cors, isLast: boolean): void {
	const headers = [...HEADERS, 'X-Request-Id', requestIdOf(request.headers['x-request-id'])];
	for (const [name, value] of Object.entries(cors.headersFor(request.headers.origin))) headers.push(name, value);
	if (isLast) headers.push('Connection', 'close');
	response.writeHead(error.status, headers).end(BODY);
}
