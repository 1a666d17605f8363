import { translate } from '../../../shared/bus/error-boundary.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { Logger } from '../../../shared/log/log.ts';
import type { Store } from '../../../shared/store/store.ts';
import { inTime } from '../../../shared/work/time-limit.ts';
import type { Exchange } from './exchange.ts';

/**
 * Waits until all that an answer rests on is on the disk: the statements of its `untold` work did not.
 * @returns undefined where it is there
 * @throws service_unavailable where the disk fails, gateway_timeout where it takes longer than the request may; rejects with
 *   the same
 */
export function untilDurable(
	durable: Store['durable'] | undefined,
	{ accountId, deadline, operation, requestId }: Exchange,
	logger: Logger,
): Promise<void> | undefined {
	const failed = (error: unknown): never => {
		throw translate(error, { operation: operation?.id, request_id: requestId }, logger);
	};
	try {
		const waiting = durable?.(accountId);
		return waiting && inTime(waiting, deadline.remaining(), () => new ApiError('gateway_timeout')).catch(failed);
	} catch (error) {
		return failed(error);
	}
}
