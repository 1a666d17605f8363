import { ApiError } from '../../../shared/contract/errors.ts';
import type { Logger } from '../../../shared/log/log.ts';
import type { Answer } from './answer.ts';
import type { Exchange } from './exchange.ts';

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
