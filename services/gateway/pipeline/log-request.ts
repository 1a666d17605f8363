import type { Logger } from '../../../shared/log/log.ts';
import type { Exchange } from './exchange.ts';

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
