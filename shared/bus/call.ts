import { type CallingOptions, type Context, Errors, type ServiceBroker } from 'moleculer';
import type { ActionName, Params, Result } from '../contract/actions.ts';
import { ApiError } from '../contract/errors.ts';
import { Reading } from '../work/reading.ts';

/** What can make a call: a request's context, which hands on its deadline and request id, or the broker itself. */
export type Caller = Pick<Context, 'call'> | Pick<ServiceBroker, 'call'>;

const GONE = [
	Errors.ServiceNotFoundError,
	Errors.ServiceNotAvailableError,
	Errors.RequestRejectedError,
	Errors.QueueIsFullError,
	Errors.BrokerDisconnectedError,
];
const SLOW = [Errors.RequestTimeoutError, Errors.RequestSkippedError];

/**
 * A typed call of another service. It is never retried: a mutation that timed out may still have happened.
 * @throws service_unavailable where no such service is there, gateway_timeout where it did not answer in time, and
 *   whatever error of the catalogue the action throws
 */
export async function call<K extends ActionName>(
	caller: Caller,
	action: K,
	params: Params<K>,
	options: CallingOptions = {},
): Promise<Result<K>> {
	try {
		return await caller.call<Result<K>, Params<K>>(action, params, withPayer(options));
	} catch (error) {
		throw asApiError(error);
	}
}

/** Moleculer hands `meta` on to calls of the call, and what the other side adds to it back: see `call-context.ts`. */
function withPayer(options: CallingOptions): CallingOptions {
	const payer = Reading.payer();
	if (payer === undefined) return options;
	const kind = payer instanceof Reading ? { reads: true } : { writes: true };
	return { ...options, meta: { ...options.meta, ...kind } };
}

/** What went wrong with a call, as an error of the catalogue where it is one. */
export function asApiError(error: unknown): unknown {
	if (GONE.some((kind) => error instanceof kind)) return new ApiError('service_unavailable');
	if (SLOW.some((kind) => error instanceof kind)) return new ApiError('gateway_timeout');
	return error;
}
