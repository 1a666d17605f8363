import type { RequestListener, Server } from 'node:http';
import { http } from '../../../shared/http/http.ts';
import { inTurn } from '../../../shared/http/requests-in-turn.ts';
import { answerClientErrors } from './client-errors.ts';

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
	/** ms that an idle connection is kept: longer than the 60 s of common load balancers, which must close first. */
	keepAliveTimeout: 65_000,
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

/**
 * ms without a byte in either direction: a client that does not read its answer is not kept. Longer than an idle
 * connection and a long poll.
 */
const SOCKET_TIMEOUT = 75_000;

export function createHttpServer(listener: RequestListener): Server {
	const server = http.createServer({ ...LIMITS });
	const take = inTurn(server, listener);
	server.on('request', take);
	server.maxConnections = MAX_CONNECTIONS;
	server.timeout = SOCKET_TIMEOUT;
	server.maxHeadersCount = MAX_HEADERS + 1; // Node drops the others silently; one too many is 431
	// Node would send "100 Continue" before anybody looked at the request, and an empty 417 for other expectations.
	server.on('checkContinue', take);
	server.on('checkExpectation', take);
	answerClientErrors(server);
	return server;
}
