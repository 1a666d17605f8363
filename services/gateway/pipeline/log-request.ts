import type { Logger } from '../../../shared/log.ts';
import type { Exchange } from './exchange.ts';

/** What nginx logs where the client closed its connection before the answer */
const CLIENT_GONE = 499;

/** One line per request: what was asked by its operation, never by its URL; no key and no personal data. */
export function logRequest(exchange: Exchange, logger: Logger): void {
	const { request, response, requestId, operation, accountId, startedAt } = exchange;
	const status = response.writableFinished ? response.statusCode : CLIENT_GONE;
	const line = {
		request_id: requestId,
		method: request.method,
		operation: operation?.id,
		status,
		ms: Math.round((performance.now() - startedAt) * 10) / 10,
		account_id: accountId,
	};
	if (status >= 500) logger.warn(line, 'request');
	else logger.info(line, 'request');
}
