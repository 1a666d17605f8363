import type { Connection, Model } from 'mongoose';
import type { Removed } from '../../shared/contract/actions.ts';
import { SKEW } from '../../shared/engine/clock.ts';
import { insertNew } from '../../shared/store/insert-new.ts';
import { modelOf, number, text } from '../../shared/store/model.ts';
import { removeEverywhere } from '../../shared/store/remove-everywhere.ts';

/** ms that a DELETE without an answer can be repeated, as of services, bookings and webhooks; an hour more for clocks apart */
const KEPT = 24 * 60 * 60 * 1000 + SKEW;

/**
 * Marks what is being removed, before it is. While the mark is there, nobody knows that the answer was sent, so a
 * repeated DELETE is answered `ok` (promise X17). It is for what leaves no tombstone of its own.
 */
interface RemovalRow {
	/** `<kind>:<id>` */
	_id: string;
	account_id: string;
	service_id: number;
	/** ms */
	at: number;
}

export const removalModel = modelOf<RemovalRow>('Removal', 'catalog_removals', {
	fields: { _id: text, account_id: text, service_id: number, at: number },
	indexes: { by_age: { at: 1 } },
});

/** Every read and write of these marks. */
export class RemovalStore {
	readonly model: Model<RemovalRow>;

	constructor(connection: Connection) {
		this.model = removalModel(connection);
	}

	/** To be awaited before the thing itself is removed. @param at ms */
	note(removed: Removed, at: number): Promise<void> {
		return insertNew(this.model, [{ ...keyOf(removed), at }]);
	}

	/** Notes that a client was sent the `ok`: a DELETE after it finds nothing. */
	async answered(removed: Removed): Promise<'ok'> {
		await this.model.deleteOne(keyOf(removed));
		return 'ok';
	}

	async isUnanswered(removed: Removed): Promise<boolean> {
		return (await this.model.exists(keyOf(removed))) !== null;
	}

	/** Removes the marks of every account that are kept no longer. @param now ms */
	async removeOld(now: number, signal?: AbortSignal): Promise<void> {
		await removeEverywhere(this.model, { at: { $lt: now - KEPT } }, signal);
	}
}

function keyOf({ account_id, service_id, kind, id }: Removed): Omit<RemovalRow, 'at'> {
	return { _id: `${kind}:${id}`, account_id, service_id };
}
