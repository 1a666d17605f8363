import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { standstill } from '../../../shared/process/standstill.ts';
import { fail } from '../../../shared/tracing/note-error.ts';
import { type Span, tracing } from '../../../shared/tracing/tracing.ts';
import { Deadline } from '../../../shared/work/deadline.ts';
import type { Reading } from '../../../shared/work/reading.ts';
import type { Operation } from '../operations/operation.ts';

/** ms for a request from its headers to its answer; a client waits 10 s at most (contract §1) */
export const BUDGET = 9_000;

/** What nginx logs where the client closed its connection before the answer */
const CLIENT_GONE = 499;

/** The field of a response that has its exchange. Entries of a WeakMap cost the garbage collector a fifth of a GET. */
const EXCHANGE = Symbol('exchange');

interface OwnResponse extends ServerResponse {
	[EXCHANGE]?: Exchange;
}

/** One request and what the steps have learnt about it so far. */
export class Exchange {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly requestId: string;
	readonly startedAt = performance.now();
	/** Headers of the answer, whatever it will be */
	readonly headers: Record<string, string> = {};
	/** From when it came; after a standstill that may be long before it was read */
	deadline = new Deadline(BUDGET - standstill.age());
	operation: Operation | undefined;
	accountId: string | undefined;
	/** Of a request with a key, until its answer is made: see `judgedOften` */
	judge: (() => Promise<void> | undefined) | undefined;
	/** Where the operation only reads: what it read, and whether anybody waits for it */
	reading: Reading | undefined;
	/** Of the request, where traces are on and it is an operation */
	span: Span | undefined;

	constructor(request: IncomingMessage, response: ServerResponse) {
		this.request = request;
		this.response = response;
		this.requestId = requestIdOf(request.headers['x-request-id']);
		(response as OwnResponse)[EXCHANGE] = this;
	}

	/** Of the answer, once it was sent or its client has gone. */
	get status(): number {
		return this.response.writableFinished ? this.response.statusCode : CLIENT_GONE;
	}

	get traceId(): string | undefined {
		return this.span?.spanContext().traceId;
	}

	/** ms since the headers of the request */
	get age(): number {
		return performance.now() - this.startedAt;
	}

	/** The exchange that a response belongs to, for the server, which answers some requests itself. */
	static of(response: OwnResponse): Exchange | undefined {
		return response[EXCHANGE];
	}
}

const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/;

/** The client's own id if it is harmless in a log line and a header; otherwise a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
	return typeof header === 'string' && ACCEPTED.test(header) ? header : randomUUID();
}

/**
 * The span of a request, from its routing to the end of its answer; all that is done for it becomes a part of it. A
 * client's `traceparent` is continued, its `tracestate` is not: that is a text of the client's, and would be stored.
 * For the same reason the span has the template of the path, not the path.
 */
export function traceRequest<T>(exchange: Exchange, operation: Operation, work: () => T): T {
	if (tracing === undefined) return work();
	const { request, response } = exchange;
	const { traceparent } = request.headers;
	const span = tracing.start(`${request.method} ${operation.path}`, {
		kind: 'server',
		attributes: { 'http.request.method': request.method, 'http.route': operation.path, 'url.scheme': 'http' },
		parent: tracing.remote(typeof traceparent === 'string' ? traceparent : undefined),
	});
	exchange.span = span;
	response.once('close', () => {
		span.setAttribute('http.response.status_code', exchange.status); // 499: the client left before
		if (exchange.accountId !== undefined) span.setAttribute('slotwise.account_id', exchange.accountId);
		if (exchange.status >= 500) fail(span, String(exchange.status));
		span.end();
	});
	return tracing.within(span, work);
}
