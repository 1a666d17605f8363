import { ServiceBroker } from 'moleculer';
import type { DirectoryEntry } from '../../../shared/contract/actions.ts';

/** Loaded into a process of the product before its own code: every second booking's customer never reaches the directory. */
const call = ServiceBroker.prototype.call as (action: string, params: unknown, options: unknown) => Promise<unknown>;

ServiceBroker.prototype.call = function forgetful(
	this: ServiceBroker,
	action: string,
	params: unknown,
	options: unknown,
) {
	const { entries } = (params ?? {}) as { entries?: DirectoryEntry[] };
	const kept =
		action === 'customer.record' ? { entries: entries!.filter(({ booking_id }) => booking_id % 2 === 0) } : params;
	return call.call(this, action, kept, options);
} as typeof ServiceBroker.prototype.call;
