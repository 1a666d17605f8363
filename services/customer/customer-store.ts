import type { Connection } from 'mongoose';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { bulkWriteErrors, retryDeadlock } from '../../shared/store/write-errors.ts';
import { type CustomerDocument, type CustomerModel, customerModel, MARKER_KEPT } from './customer.model.ts';

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
