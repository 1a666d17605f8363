import { type Connection, type Model, Schema } from 'mongoose';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { accountScope } from '../../../shared/store/account-scope.ts';
import { schemaOptions } from '../../../shared/store/schema-options.ts';

/**
 * `new` until the service that it belongs to was created with all its slots, then `active`; `gone` once the service is
 * deleted. It only ever moves forward, so that a slow creator cannot revive the slots of a service deleted meanwhile.
 */
export type SlotState = 'new' | 'active' | 'gone';

/** A time slot. Only active ones are listed or booked. */
export interface SlotDocument {
	_id: number;
	account_id: string;
	service_id: number;
	day_of_week: number;
	start_time: string;
	end_time: string;
	max_bookings: number;
	state: SlotState;
	/** Grows by 1 with each change: a bulk update is applied by compare-and-set on it */
	revision: number;
	/** Whether a bulk update that changes it may have been committed: until it is false, readers look there. Absent: false */
	in_update?: boolean;
	created_at: string;
	updated_at: string;
}

export type SlotModel = Model<SlotDocument>;

const text = { type: String, required: true } as const;
const number = { type: Number, required: true } as const;

const schema = new Schema<SlotDocument>(
	{
		_id: number,
		account_id: text,
		service_id: number,
		day_of_week: number,
		start_time: text,
		end_time: text,
		max_bookings: number,
		state: text,
		revision: number,
		in_update: Boolean,
		created_at: text,
		updated_at: text,
	},
	schemaOptions,
);
schema.index({ account_id: 1, state: 1, _id: 1 }, { name: 'listed' });
schema.index({ account_id: 1, service_id: 1, state: 1, _id: 1 }, { name: 'listed_of_service' });
schema.index({ state: 1, created_at: 1 }, { name: 'left_behind' });
schema.plugin(accountScope);

export function slotModel(connection: Connection): SlotModel {
	return connection.model<SlotDocument>('TimeSlot', schema, 'time_slots');
}

/** What the API shows of a time slot; the order of the fields is part of the interface. */
export function toTimeSlot(document: SlotDocument): TimeSlot {
	return {
		id: document._id,
		service_id: document.service_id,
		day_of_week: document.day_of_week,
		start_time: document.start_time,
		end_time: document.end_time,
		max_bookings: document.max_bookings,
		created_at: document.created_at,
		updated_at: document.updated_at,
	};
}
