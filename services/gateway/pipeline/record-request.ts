import type { Logger } from '../../../shared/log/log.ts';
import { fail } from '../../../shared/tracing/note-error.ts';
import { tracing } from '../../../shared/tracing/tracing.ts';
import type { Operation } from '../operations/operation.ts';
import type { Exchange } from './exchange.ts';

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

/** One line per request: what was asked by its operation, never by its URL; no key and no personal data. */
export function logRequest(exchange: Exchange, logger: Logger): void {
	const { request, requestId, traceId, operation, accountId, status, age } = exchange;
	const line = {
		request_id: requestId,
		trace_id: traceId,
		method: request.method,
		operation: operation?.id,
		status,
		ms: Math.round(age * 10) / 10,
		account_id: accountId,
	};
	if (status >= 500) logger.warn(line, 'request');
	else logger.info(line, 'request');
}
