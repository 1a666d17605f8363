import { type Connection, type Model, Schema } from 'mongoose';
import { accountScope } from '../../../shared/store/account-scope.ts';
import { schemaOptions } from '../../../shared/store/schema-options.ts';

/** What an account used of its plan in one month. It is kept for good. */
export interface UsageRow {
	/** `<account>:<month>` */
	_id: string;
	account_id: string;
	/** Bookings made or about to be made; never above the plan's limit unless the plan has overages (promise R7) */
	bookings: number;
	/** The last reservation of each booking process, by its `by`, so that one that is repeated is counted once */
	reserved?: Record<string, { number: number; granted: number }>;
	/** The number of the last return of each booking process that gave bookings back, so that none is carried out twice */
	returned: Record<string, number>;
	/** Requests that gateways let through and have reported */
	requests: number;
	/** Ids of the last reports of requests, oldest first */
	reports: string[];
}

const usageSchema = new Schema<UsageRow>(
	{
		_id: { type: String, required: true },
		account_id: { type: String, required: true },
		bookings: { type: Number, required: true },
		reserved: { type: Schema.Types.Mixed, default: undefined },
		returned: { type: Schema.Types.Mixed, required: true },
		requests: { type: Number, required: true },
		reports: { type: [String], required: true },
	},
	schemaOptions,
);
usageSchema.plugin(accountScope);

export function usageModel(connection: Connection): Model<UsageRow> {
	return connection.model<UsageRow>('Usage', usageSchema, 'usage');
}

/** The filter of one account's row of one month. */
export function usageKey(account_id: string, month: string): Pick<UsageRow, '_id' | 'account_id'> {
	return { _id: `${account_id}:${month}`, account_id };
}

/** A row before anything was used. */
export function unused(key: Pick<UsageRow, '_id' | 'account_id'>): UsageRow {
	return { ...key, bookings: 0, returned: {}, requests: 0, reports: [] };
}
