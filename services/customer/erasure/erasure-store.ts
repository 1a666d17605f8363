import type { Connection, Model } from 'mongoose';
import type { Scoped } from '../../../shared/contract/actions.ts';
import type { Person } from '../../../shared/contract/person.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import { modelOf, number, text } from '../../../shared/store/model.ts';
import { prepareModels } from '../../../shared/store/prepare-models.ts';
import { isDuplicateKey, retryDeadlock } from '../../../shared/store/write-errors.ts';
import { personKey } from '../person-key.ts';

/** An erasure that goes on until nothing of the person is found, whatever dies meanwhile; then it is removed. */
export interface ErasureDocument {
	/** `<account>:<kind>:<hash of the address>`: who is to be erased twice at once is erased once */
	_id: string;
	account_id: string;
	kind: Person['kind'];
	/** The address; '' once nothing of the person is found any more */
	value: string;
	/** Bookings with higher ids were made later, and stay */
	up_to: number;
	/** Random, a part of the ids of its events */
	name: string;
	/** Of bookings: what it is at, from 1 */
	page: number;
	/** Ids of the bookings of that page; found again by nothing else once the bookings do not name the person any more */
	at_work: number[];
	/** Random, new with each write: who sees it unchanged for a while takes the erasure over */
	beat: string;
	/** ISO 8601 */
	asked_at: string;
}

export const erasureModel = modelOf<ErasureDocument>('Erasure', 'erasures', {
	fields: {
		_id: text,
		account_id: text,
		kind: text,
		value: { type: String, default: '' },
		up_to: number,
		name: text,
		page: number,
		at_work: { type: [Number], default: [] },
		beat: text,
		asked_at: text,
	},
});

/** Erasures that a look finds */
const MOST = 100;

/** Every read and write of erasures that are under way. */
export class ErasureStore {
	readonly model: Model<ErasureDocument>;

	constructor(connection: Connection) {
		this.model = erasureModel(connection);
	}

	prepare(): Promise<void> {
		return prepareModels([this.model]);
	}

	/**
	 * Begins an erasure, or has the one that is under way for the same person go on to `up_to`. Never back: who asked for that one
	 * may have seen a booking more.
	 * @param now ms
	 */
	async begin({ account_id }: Scoped, person: Person, up_to: number, now: number): Promise<ErasureDocument> {
		const { kind, value } = person;
		const _id = `${account_id}:${personKey(person)}`;
		const [name, beat] = [randomBase62(12), randomBase62(12)];
		const asked = { kind, value, up_to, asked_at: timestamp(now), beat };
		const erasure: ErasureDocument = { _id, account_id, ...asked, name, page: 1, at_work: [] };
		for (;;) {
			try {
				await retryDeadlock(() => this.model.insertMany([erasure], { lean: true }));
				return erasure;
			} catch (error) {
				if (!isDuplicateKey(error)) throw error;
			}
			await this.model.updateOne({ _id, account_id, up_to: { $lt: up_to } }, { $set: { up_to } });
			const { matchedCount } = await this.model.updateOne({ _id, account_id }, { $set: { value, beat } });
			if (matchedCount === 1) return { ...erasure, ...(await this.find(erasure)) };
		}
	}

	find({ _id, account_id }: Pick<ErasureDocument, '_id' | 'account_id'>): Promise<ErasureDocument | null> {
		return this.model.findOne({ _id, account_id }).lean<ErasureDocument>();
	}

	/** Of every account. */
	underWay(): Promise<ErasureDocument[]> {
		return this.model.find({}, {}, { everyAccount: true }).limit(MOST).lean<ErasureDocument[]>();
	}

	/**
	 * The next step of an erasure as it was read.
	 * @returns as it is then; undefined where it was changed meanwhile
	 */
	async go(
		erasure: ErasureDocument,
		set: Partial<Pick<ErasureDocument, 'page' | 'at_work' | 'value'>>,
	): Promise<ErasureDocument | undefined> {
		const { _id, account_id, beat } = erasure;
		const next = { ...set, beat: randomBase62(12) };
		const { matchedCount } = await retryDeadlock(() => this.model.updateOne({ _id, account_id, beat }, { $set: next }));
		return matchedCount === 1 ? { ...erasure, ...next } : undefined;
	}

	/** @returns false where it was asked for once more */
	async remove({ _id, account_id, beat }: ErasureDocument): Promise<boolean> {
		return (await this.model.deleteOne({ _id, account_id, beat })).deletedCount === 1;
	}
}
