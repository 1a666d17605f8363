import { type Connection, type Model, Schema } from 'mongoose';
import { accountScope } from '../../../shared/store/account-scope.ts';
import { schemaOptions } from '../../../shared/store/schema-options.ts';
import type { SlotDocument } from './slot.model.ts';

/** One slot's part of a bulk update: what it becomes, if it is still as it was read. */
export interface SlotChange {
	slot_id: number;
	/** The revision that it was read at */
	revision: number;
	set: Pick<SlotDocument, 'day_of_week' | 'start_time' | 'end_time' | 'max_bookings' | 'updated_at'>;
}

/**
 * The bulk updates of an account, one at a time. Storing `changes` is the commit: from then on the update has happened
 * for every reader, and whoever meets it carries it out. `sequence` counts the updates, and the deletions of services, so
 * that no update commits on what another has changed since.
 */
export interface SlotUpdateDocument {
	/** The account */
	_id: string;
	account_id: string;
	sequence: number;
	/** What the last update changes; empty once it is carried out */
	changes: SlotChange[];
	/** When `changes` were stored, ms; 0 where there are none */
	open_since: number;
}

/**
 * Slots as an update leaves them that was committed and is perhaps not yet carried out.
 * @param slots read before or while it was carried out
 */
export function withUpdate(slots: SlotDocument[], update: SlotUpdateDocument | null | undefined): SlotDocument[] {
	if (!update || update.open_since === 0) return slots;
	const changes = new Map(update.changes.map((change) => [change.slot_id, change]));
	return slots.map((slot) => {
		const change = changes.get(slot._id);
		return change?.revision === slot.revision ? { ...slot, ...change.set, revision: slot.revision + 1 } : slot;
	});
}

export type SlotUpdateModel = Model<SlotUpdateDocument>;

const schema = new Schema<SlotUpdateDocument>(
	{
		_id: { type: String, required: true },
		account_id: { type: String, required: true },
		sequence: { type: Number, required: true },
		changes: { type: [Schema.Types.Mixed], default: [] },
		open_since: { type: Number, default: 0 },
	},
	schemaOptions,
);
schema.index({ open_since: 1 }, { name: 'open_since' });
schema.plugin(accountScope);

export function slotUpdateModel(connection: Connection): SlotUpdateModel {
	return connection.model<SlotUpdateDocument>('SlotUpdate', schema, 'slot_updates');
}
