import type { IncomingMessage, ServerResponse } from 'node:http';
import { Deadline } from '../../../shared/deadline.ts';
import type { Operation } from '../operations/operation.ts';
import { requestIdOf } from './request-id.ts';

/** ms for a request from its headers to its answer; a client waits 10 s at most (contract §1) */
export const BUDGET = 9_000;

const exchanges = new WeakMap<ServerResponse, Exchange>();

/** One request and what the steps have learnt about it so far. */
export class Exchange {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly requestId: string;
	readonly startedAt = performance.now();
	/** Headers of whatever answer it will be, a refusal too */
	readonly headers: Record<string, string> = {};
	deadline = new Deadline(BUDGET);
	operation: Operation | undefined;
	accountId: string | undefined;

	constructor(request: IncomingMessage, response: ServerResponse) {
		this.request = request;
		this.response = response;
		this.requestId = requestIdOf(request.headers['x-request-id']);
		exchanges.set(response, this);
	}

	/** The exchange that a response belongs to, for the server, which answers some requests itself. */
	static of(response: ServerResponse): Exchange | undefined {
		return exchanges.get(response);
	}
}
