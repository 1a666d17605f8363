import { ApiError } from '../../../shared/contract/errors.ts';
import type { Logger } from '../../../shared/log/log.ts';
import type { Store } from '../../../shared/store/store.ts';
import { isUnavailable } from '../../../shared/store/write-errors.ts';
import type { Deadline } from '../../../shared/work/deadline.ts';
import type { Exchange } from './exchange.ts';

/**
 * Waits until all that an answer rests on is on the disk: the statements of its `untold` work did not.
 * @throws service_unavailable where the disk fails, gateway_timeout where it takes longer than the request may
 */
export async function untilDurable(
	durable: Store['durable'] | undefined,
	exchange: Exchange,
	logger: Logger,
): Promise<void> {
	try {
		const waiting = durable?.(exchange.accountId);
		if (waiting !== undefined) await inTime(waiting, exchange.deadline);
	} catch (error) {
		if (!isUnavailable(error)) throw error;
		const { requestId: request_id, operation } = exchange;
		logger.warn({ request_id, operation: operation?.id, reason: (error as Error).message }, 'store unavailable');
		throw new ApiError('service_unavailable');
	}
}

function inTime(waiting: Promise<void>, deadline: Deadline): Promise<void> {
	return new Promise((resolve, reject) => {
		const late = () => reject(new ApiError('gateway_timeout'));
		const timer = setTimeout(late, Math.max(0, deadline.remaining()));
		waiting.then(resolve, reject).finally(() => clearTimeout(timer));
	});
}
