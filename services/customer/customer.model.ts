import type { Connection, Model } from 'mongoose';
import { Schema } from 'mongoose';
import type { DirectoryEntry } from '../../shared/contract/actions.ts';
import type { Customer } from '../../shared/contract/schemas/booking.ts';
import { SKEW } from '../../shared/engine/clock.ts';
import { accountScope } from '../../shared/store/account-scope.ts';
import { schemaOptions } from '../../shared/store/schema-options.ts';

/**
 * ms that a deleted customer's marker is kept: 31 days, a day longer than the event log keeps what a stalled relay could
 * still bring.
 */
export const MARKER_KEPT = 31 * 24 * 3_600_000 + SKEW;

/** The customer of one booking; once the booking is deleted, a marker without personal data, until that is swept. */
export interface CustomerDocument {
	/** The booking's id, which is the customer's as well */
	_id: number;
	account_id: string;
	/** The version of the booking that this comes from; an older one never replaces it */
	version: number;
	/** null in a marker */
	customer: Customer | null;
	/** When the marker was made, ms; 0 where there is a customer */
	deleted_at: number;
}

export type CustomerModel = Model<CustomerDocument>;

const schema = new Schema<CustomerDocument>(
	{
		_id: { type: Number, required: true },
		account_id: { type: String, required: true },
		version: { type: Number, required: true },
		customer: { type: Schema.Types.Mixed, default: null }, // written whole by typed code
		deleted_at: { type: Number, required: true },
	},
	schemaOptions,
);
schema.index({ deleted_at: 1 }, { name: 'deleted_at' });
schema.plugin(accountScope);

export function customerModel(connection: Connection): CustomerModel {
	return connection.model<CustomerDocument>('Customer', schema, 'customers');
}

/** @param now ms */
export function toDocument(entry: DirectoryEntry, now: number): CustomerDocument {
	return {
		_id: entry.booking_id,
		account_id: entry.account_id,
		version: entry.version,
		customer: entry.customer,
		deleted_at: entry.customer === null ? now : 0,
	};
}
