import { translate } from '../../../shared/bus/error-boundary.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { Logger } from '../../../shared/log/log.ts';
import type { Store } from '../../../shared/store/store.ts';
import { inTime } from '../../../shared/work/time-limit.ts';
import type { Exchange } from './exchange.ts';

/**
 * Waits until all that an answer rests on is on the disk: the statements of its `untold` work did not.
 * @throws service_unavailable where the disk fails, gateway_timeout where it takes longer than the request may
 */
export async function untilDurable(
	durable: Store['durable'] | undefined,
	{ accountId, deadline, operation, requestId }: Exchange,
	logger: Logger,
): Promise<void> {
	try {
		const waiting = durable?.(accountId);
		if (waiting !== undefined) await inTime(waiting, deadline.remaining(), () => new ApiError('gateway_timeout'));
	} catch (error) {
		throw translate(error, { operation: operation?.id, request_id: requestId }, logger);
	}
}
