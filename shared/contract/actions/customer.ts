import type { Customer } from '../schemas/booking.ts';
import type { Scoped } from './common.ts';

/** The directory of customers. */
export interface CustomerActions {
	/** Keeps the directory of customers; an entry that is older than what is known is ignored. */
	'customer.record': { params: { entries: DirectoryEntry[] }; result: 'ok' };
}

/** A customer as of one version of its booking; `customer: null` when the booking was deleted. */
export interface DirectoryEntry extends Scoped {
	booking_id: number;
	version: number;
	customer: Customer | null;
}
