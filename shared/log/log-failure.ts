import { isError } from '../contract/errors.ts';
import { isUnavailable } from '../store/write-errors.ts';
import type { Logger } from './log.ts';

/**
 * Logs that work failed which nobody waits for. That a service or the store is away, or too slow, is to be expected, and
 * such work is repeated: a warning that names the reason, without a stack. All else is a bug: an error with everything.
 */
export function logFailure(
	logger: Logger,
	error: unknown,
	message: string,
	details: Readonly<Record<string, unknown>> = {},
): void {
	if (isExpected(error)) logger.warn({ ...details, reason: error.message }, message);
	else logger.error({ ...details, err: error }, message);
}

function isExpected(error: unknown): error is Error {
	return isUnavailable(error) || isError(error, 'service_unavailable') || isError(error, 'gateway_timeout');
}
