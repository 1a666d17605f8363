import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, type ErrorType } from '../../../shared/contract/errors.ts';
import { http } from '../../../shared/http/http.ts';
import { COMMON_HEADERS, JSON_TYPE } from '../pipeline/answer.ts';
import { envelope } from '../pipeline/error-answer.ts';
import { Exchange } from '../pipeline/exchange.ts';

/** What Node's parser found, as an error of the catalogue; anything else is a malformed request. */
const TYPES: Record<string, ErrorType> = {
	HPE_HEADER_OVERFLOW: 'headers_too_large',
	HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body_too_large',
	ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers what never becomes a request (a bad request line, headers too large or too slow) in the envelope, too. */
export function answerClientErrors(server: Server): void {
	server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
		const type = TYPES[error.code ?? ''] ?? 'invalid_request';
		// A client that was refused before it had sent its whole body has its answer.
		if (type === 'request_timeout' && socket.bytesWritten > 0) socket.destroy();
		else refuse(socket, new ApiError(type));
	});
	// CONNECT asks for a tunnel. Node closes the connection where nobody listens.
	server.on('connect', (_request, socket: Socket) => refuse(socket, new ApiError('invalid_request')));
}

/** Closes the connection after a last answer; without one where another answer has begun on it. */
function refuse(socket: Socket, error: ApiError): void {
	const running = (socket as { _httpMessage?: ServerResponse })._httpMessage; // Node's own handler looks at it, too
	if (!socket.writable || running?.headersSent) socket.destroy();
	else socket.end(rawAnswer(error, running && Exchange.of(running)), () => socket.destroy());
}

/** @param exchange of a request whose body did not come in time: its answer has the headers of any other */
function rawAnswer(error: ApiError, exchange: Exchange | undefined): string {
	const body = envelope(error);
	const headers: Record<string, string | number> = {
		...COMMON_HEADERS,
		'X-Request-Id': exchange?.requestId ?? randomUUID(),
		...exchange?.headers,
		'Content-Type': JSON_TYPE,
		'Content-Length': Buffer.byteLength(body),
		Connection: 'close',
	};
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
	return `HTTP/1.1 ${error.status} ${http.STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`;
}
