import { type Connection, type Model, type QueryFilter, Schema, type UpdateQuery } from 'mongoose';
import { ofAccounts } from '../../../shared/store/account-scope.ts';
import { insertNew } from '../../../shared/store/insert-new.ts';
import { modelOf, number, text } from '../../../shared/store/model.ts';
import { updatePlain } from '../../../shared/store/update-plain.ts';
import { mayStillLand, retryDeadlock } from '../../../shared/store/write-errors.ts';

/** What an account used of its plan in one month. It is kept for good. */
interface UsageRow {
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

export const usageModel = modelOf<UsageRow>('Usage', 'usage', {
	fields: {
		_id: text,
		account_id: text,
		bookings: number,
		reserved: { type: Schema.Types.Mixed, default: undefined },
		returned: { type: Schema.Types.Mixed, required: true },
		requests: number,
		reports: { type: [String], required: true },
	},
});

/** The filter of one account's row of one month. */
export function usageKey(account_id: string, month: string): Pick<UsageRow, '_id' | 'account_id'> {
	return { _id: `${account_id}:${month}`, account_id };
}

/** A row before anything was used. */
export function unused(key: Pick<UsageRow, '_id' | 'account_id'>): UsageRow {
	return { ...key, bookings: 0, returned: {}, requests: 0, reports: [] };
}

export type UsageKey = Pick<UsageRow, '_id' | 'account_id'>;

/** What a booking process reserved under a number that grows from one reservation to the next. */
export interface Reservation {
	/** The process */
	by: string;
	number: number;
	granted: number;
}

/** `lost`: nobody knows whether it was written, or still will be. */
export type Outcome = 'reserved' | 'refused' | 'lost';

/** Processes whose last reservation a row remembers: far more than run at once */
const REMEMBERED_PROCESSES = 64;
/** Reports of requests that a row remembers: those of 10 gateways in 5 s */
const REMEMBERED_REPORTS = 50;

/** Every read and write of what accounts used of their plans. */
export class UsageStore {
	readonly model: Model<UsageRow>;

	constructor(connection: Connection) {
		this.model = usageModel(connection);
	}

	find(key: UsageKey): Promise<UsageRow | null> {
		return this.model.findOne(key).lean<UsageRow>();
	}

	/** Makes the rows that are not there yet. */
	add(keys: UsageKey[]): Promise<void> {
		return insertNew(this.model, keys.map(unused));
	}

	/**
	 * Counts one reservation of each of several processes, in one write.
	 * @param limit bookings of the month; `Infinity`: none
	 * @returns `refused`: there is not enough room, the row does not know a process, or knows this reservation of it
	 */
	reserveAll(key: UsageKey, limit: number, reservations: Reservation[]): Promise<Outcome> {
		const total = reservations.reduce((sum, { granted }) => sum + granted, 0);
		const later = reservations.map(({ by, number }) => [`reserved.${by}.number`, { $lt: number }]);
		const remember = reservations.map(({ by, number, granted }) => [`reserved.${by}`, { number, granted }]);
		return this.#reserve(
			{ ...key, ...atMost(limit - total), ...Object.fromEntries(later) },
			{ $inc: { bookings: total }, $set: Object.fromEntries(remember) },
		);
	}

	/**
	 * Counts one reservation, if the row's last one of its process is still as it was read.
	 * @param room how many bookings may be counted already: so many, or exactly those that were read
	 */
	reserve(found: UsageRow, { by, number, granted }: Reservation, room: number | 'as read'): Promise<Outcome> {
		const { _id, account_id, bookings, reserved } = found;
		const path = `reserved.${by}`;
		const last = reserved?.[by];
		const asRead = last === undefined ? { [path]: { $exists: false } } : { [`${path}.number`]: last.number };
		return this.#reserve(
			{ _id, account_id, ...(room === 'as read' ? { bookings } : atMost(room)), ...asRead },
			{ $inc: { bookings: granted }, $set: { [path]: { number, granted } }, ...forgotten(found, by) },
		);
	}

	/** Gives bookings back, unless the row knows this return of the process, or a later one. */
	async release(key: UsageKey, { by, number, count }: { by: string; number: number; count: number }): Promise<void> {
		const path = `returned.${by}`;
		const reserved = { ...key, bookings: { $gte: count }, [path]: { $not: { $gte: number } } };
		const change = { $inc: { bookings: -count }, $set: { [path]: number } };
		await retryDeadlock(() => this.model.updateOne(reserved, change));
	}

	/** Adds `requests` to rows that do not have the report yet. @returns how many had not */
	async addRequests(keys: UsageKey[], requests: number, report: string): Promise<number> {
		const { matchedCount } = await retryDeadlock(() =>
			this.model.updateMany(
				{ ...among(keys), reports: { $ne: report } },
				{ $inc: { requests }, $push: { reports: { $each: [report], $slice: -REMEMBERED_REPORTS } } },
			),
		);
		return matchedCount;
	}

	/** The requests of rows that are there, by the row's id. */
	async requestsOf(keys: UsageKey[]): Promise<Map<string, number>> {
		const rows = await this.model.find(among(keys), { requests: 1 }).lean();
		return new Map(rows.map(({ _id, requests }) => [_id, requests]));
	}

	async #reserve(filter: QueryFilter<UsageRow>, change: UpdateQuery<UsageRow>): Promise<Outcome> {
		try {
			const isThere = await retryDeadlock(() => updatePlain(this.model, filter, change));
			return isThere ? 'reserved' : 'refused';
		} catch (error) {
			if (!mayStillLand(error)) throw error;
			return 'lost';
		}
	}
}

function atMost(bookings: number) {
	return bookings === Number.POSITIVE_INFINITY ? {} : { bookings: { $lte: bookings } };
}

/** Where a new process is remembered, those that are known longest go: their processes ended long ago. */
function forgotten({ reserved = {} }: UsageRow, by: string) {
	if (by in reserved) return {};
	const most = Object.keys(reserved).slice(0, -(REMEMBERED_PROCESSES - 1));
	return most.length === 0 ? {} : { $unset: Object.fromEntries(most.map((each) => [`reserved.${each}`, ''])) };
}

function among(keys: UsageKey[]) {
	return { _id: { $in: keys.map(({ _id }) => _id) }, ...ofAccounts(keys) };
}
