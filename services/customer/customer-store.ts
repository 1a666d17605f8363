import { type Connection, type Model, Schema } from 'mongoose';
import type { DirectoryEntry } from '../../shared/contract/actions.ts';
import type { Customer } from '../../shared/contract/schemas/booking.ts';
import { SKEW } from '../../shared/engine/clock.ts';
import { modelOf, number, text } from '../../shared/store/model.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { bulkWriteErrors, retryDeadlock } from '../../shared/store/write-errors.ts';

/**
 * ms that a deleted customer's marker is kept: 31 days, a day longer than the event log keeps what a stalled relay could
 * still bring.
 */
const MARKER_KEPT = 31 * 24 * 3_600_000 + SKEW;

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

type CustomerModel = Model<CustomerDocument>;

export const customerModel = modelOf<CustomerDocument>('Customer', 'customers', {
	fields: {
		_id: number,
		account_id: text,
		version: number,
		customer: { type: Schema.Types.Mixed, default: null }, // written whole by typed code
		deleted_at: number,
	},
	indexes: { deleted_at: { deleted_at: 1 } },
});

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

/** Markers removed at a time */
const PIECE = 500;

/** Every read and write of the directory of customers. */
export class CustomerStore {
	readonly model: CustomerModel;

	constructor(connection: Connection) {
		this.model = customerModel(connection);
	}

	/** The collection and its indexes, verified: to be awaited before any traffic (promise L9). */
	prepare(): Promise<void> {
		return prepareModels([this.model]);
	}

	/** The versions that are there, by booking. */
	async versionsOf(account_id: string, ids: number[]): Promise<Map<number, number>> {
		const found = await this.model.find({ account_id, _id: { $in: ids } }, { version: 1 }).lean();
		return new Map(found.map(({ _id, version }) => [_id, version]));
	}

	/** @returns those that were refused: another writer inserted them meanwhile, or there was a deadlock */
	async insertNew(documents: CustomerDocument[]): Promise<CustomerDocument[]> {
		if (documents.length === 0) return [];
		try {
			await retryDeadlock(() => this.model.insertMany(documents, { ordered: false, lean: true }));
			return [];
		} catch (error) {
			const refused = bulkWriteErrors(error);
			if (refused === undefined) throw error;
			return refused.map(({ index }) => documents[index]!);
		}
	}

	/** Compare-and-set. @returns those that another writer brought to this version or a newer one meanwhile */
	async replaceOlder(documents: CustomerDocument[]): Promise<CustomerDocument[]> {
		const replaced = await Promise.all(
			documents.map(async ({ _id, account_id, version, customer, deleted_at }) => {
				const older = { _id, account_id, version: { $lt: version } };
				return (await this.model.updateOne(older, { $set: { version, customer, deleted_at } })).matchedCount === 1;
			}),
		);
		return documents.filter((_, index) => !replaced[index]);
	}

	/**
	 * Removes the markers of every account that are kept no longer. Any number of processes may do this at once.
	 * @param now ms
	 * @param signal ends it early
	 * @returns how many were removed
	 */
	async removeMarkers(now: number, signal?: AbortSignal): Promise<number> {
		const expired = { deleted_at: { $gt: 0, $lt: now - MARKER_KEPT } };
		for (let removed = 0; ; ) {
			const page = await this.model.find(expired, { _id: 1 }, { everyAccount: true }).limit(PIECE).lean();
			if (page.length === 0 || signal?.aborted) return removed;
			const ids = page.map((marker) => marker._id);
			const { deletedCount } = await this.model.deleteMany({ _id: { $in: ids }, ...expired }, { everyAccount: true });
			removed += deletedCount;
		}
	}
}
