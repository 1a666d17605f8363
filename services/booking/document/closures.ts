import type { Connection, Model } from 'mongoose';
import { Schema } from 'mongoose';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { accountScope } from '../../../shared/store/account-scope.ts';
import { schemaOptions } from '../../../shared/store/schema-options.ts';

/**
 * The mark that a service is deleted; it stays. Whoever inserts a booking looks for it afterwards and undoes its own
 * insert: either the closing saw the booking, or the booking's creator sees the mark. It carries the slots as they
 * were, for the events of the bookings that it removes.
 */
export interface ClosureDocument {
	/** The service's id */
	_id: number;
	account_id: string;
	slots: TimeSlot[];
	closed_at: string;
}

export type ClosureModel = Model<ClosureDocument>;

const schema = new Schema<ClosureDocument>(
	{
		_id: { type: Number, required: true },
		account_id: { type: String, required: true },
		slots: { type: [Schema.Types.Mixed] as never, default: [] },
		closed_at: { type: String, required: true },
	},
	schemaOptions,
);
schema.plugin(accountScope);

export function closureModel(connection: Connection): ClosureModel {
	return connection.model<ClosureDocument>('Closure', schema, 'closures');
}
