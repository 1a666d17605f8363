import { type Connection, type Model, Schema } from 'mongoose';
import { accountScope } from '../../shared/store/account-scope.ts';
import { schemaOptions } from '../../shared/store/schema-options.ts';

/** What an account used of its plan in one month. */
export interface UsageRow {
	/** `<account>:<month>` */
	_id: string;
	account_id: string;
	/** Bookings made or about to be made; never above the plan's limit unless the plan has overages (musts R7) */
	bookings: number;
}

const usageSchema = new Schema<UsageRow>(
	{
		_id: { type: String, required: true },
		account_id: { type: String, required: true },
		bookings: { type: Number, required: true },
	},
	schemaOptions,
);
usageSchema.plugin(accountScope);

export function usageModel(connection: Connection): Model<UsageRow> {
	return connection.model<UsageRow>('Usage', usageSchema, 'usage');
}

/** `YYYY-MM` in UTC: bookings count in the month of their creation (contract §7). */
export function monthOf(ms: number): string {
	return new Date(ms).toISOString().slice(0, 7);
}

/** The filter of one account's row of one month. */
export function usageKey(account_id: string, month: string): Pick<UsageRow, '_id' | 'account_id'> {
	return { _id: `${account_id}:${month}`, account_id };
}
