import { randomUUID } from 'node:crypto';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, type ErrorType } from '../../../shared/contract/errors.ts';
import { closeUntaken } from '../../../shared/http/close-untaken.ts';
import { http } from '../../../shared/http/http.ts';
import { type AnswerUnparsed, inTurn } from '../../../shared/http/requests-in-turn.ts';
import { standstill } from '../../../shared/process/standstill.ts';
import { COMMON_HEADERS, envelope, JSON_TYPE } from '../pipeline/answer.ts';
import { Exchange } from '../pipeline/exchange.ts';
import { dateNow, headText, KEEP_ALIVE } from '../pipeline/head.ts';

/**
 * The limits of the API's HTTP server. Node's own are meant for trusted clients: 300 s for a request, looked at every
 * 30 s, and any number of connections.
 */
const LIMITS = {
	/** Bytes of request line and headers; more is 431. The longest header that means anything here has 300. */
	maxHeaderSize: 16 * 1024,
	/** ms for the headers to arrive; after that, 408. So a connection that sends a byte now and then is not kept for long. */
	headersTimeout: 5_000,
	/** ms for headers and body to arrive; after that, 408. Less than the 9 s that a whole request may take. */
	requestTimeout: 8_000,
	/** ms between two looks at the timeouts: what they may be late by. */
	connectionsCheckingInterval: 1_000,
	keepAliveTimeout: KEEP_ALIVE,
	/** Bytes of a body that are read before anybody asks for them: in chunks of one byte, 64 KiB would take too long a turn. */
	highWaterMark: 8 * 1024,
	/** Node does not treat a request without a body as a stream: waiting for its end would cost rounds of the event loop. */
	optimizeEmptyRequests: true,
	/** A request without Host gets an answer with a body from the pipeline. */
	requireHostHeader: false,
};
/** Headers of a request; each costs 80 bytes beside its own, which would make 500 KB of 16 KiB. */
export const MAX_HEADERS = 100;
/** Connections at a time; further ones are closed at once. Below the usual limit of open files (16,384 and more). */
const MAX_CONNECTIONS = 10_000;

/** ms without a byte in either direction: longer than an idle connection and a long poll. */
const SOCKET_TIMEOUT = 75_000;
/** ms for which a client may take nothing of an answer (N4) */
const TAKE_LIMIT = 30_000;

export function createHttpServer(listener: RequestListener, answerUnparsed?: AnswerUnparsed): Server {
	const server = http.createServer({ ...LIMITS });
	const take = inTurn(server, listener, answerUnparsed);
	server.on('request', take);
	server.on('connection', () => standstill.connected());
	server.maxConnections = MAX_CONNECTIONS;
	server.timeout = SOCKET_TIMEOUT;
	closeUntaken(server, TAKE_LIMIT);
	server.maxHeadersCount = MAX_HEADERS + 1; // Node drops the others silently; one too many is 431
	// Node would send "100 Continue" before anybody looked at the request, and an empty 417 for other expectations.
	server.on('checkContinue', take);
	server.on('checkExpectation', take);
	answerClientErrors(server);
	return server;
}

/** What Node's parser found, as an error of the catalogue; anything else is a malformed request. */
const TYPES: Record<string, ErrorType> = {
	HPE_HEADER_OVERFLOW: 'headers_too_large',
	HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body_too_large',
	ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers what never becomes a request (a bad request line, headers too large or too slow) in the envelope, too. */
function answerClientErrors(server: Server): void {
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
		Date: dateNow(),
		Connection: 'close',
	};
	return `${headText(error.status, headers)}\r\n${body}`;
}
