import { type Model, Schema } from 'mongoose';
import type { TimeSlot, TimeSlotChange } from '../../../shared/contract/schemas/time-slot.ts';
import { modelOf, number, text } from '../../../shared/store/model.ts';

/**
 * `new` until all is written that it came with, its service or the other slots of a schedule, then `active`; `retired` once
 * a schedule without it took the place of its own, and removed when no booking is of it (`sweep.ts`); `gone` once the service is deleted. It only ever moves forward, so that a
 * slow creator cannot revive the slots of a service deleted meanwhile.
 */
export type SlotState = 'new' | 'active' | 'retired' | 'gone';

/** A time slot. Only active ones are listed or booked. */
export interface SlotDocument {
	_id: number;
	account_id: string;
	service_id: number;
	day_of_week: number;
	start_time: string;
	end_time: string;
	max_bookings: number;
	/** First and last date on which it can be booked; null: any. Absent in what 0.1 wrote: null */
	valid_from?: string | null;
	valid_until?: string | null;
	state: SlotState;
	/** Grows by 1 with each change: a bulk update is applied by compare-and-set on it */
	revision: number;
	/** Whether a bulk update that changes it may have been committed: until it is false, readers look there. Absent: false */
	in_update?: boolean;
	/** Of the schedule that it belongs to: its service's, while it is active. Absent: 0 */
	generation?: number;
	/** When it was retired, or last seen to have bookings since, ms; absent while it is not */
	retired_at?: number;
	created_at: string;
	updated_at: string;
}

export type SlotModel = Model<SlotDocument>;

export const slotModel = modelOf<SlotDocument>('TimeSlot', 'time_slots', {
	fields: {
		_id: number,
		account_id: text,
		service_id: number,
		day_of_week: number,
		start_time: text,
		end_time: text,
		max_bookings: number,
		valid_from: String,
		valid_until: String,
		state: text,
		revision: number,
		in_update: Boolean,
		generation: Number,
		retired_at: Number,
		created_at: text,
		updated_at: text,
	},
	indexes: {
		listed: { account_id: 1, state: 1, _id: 1 },
		listed_of_service: { account_id: 1, service_id: 1, state: 1, _id: 1 },
		left_behind: { state: 1, created_at: 1 },
		retired: { retired_at: 1 },
	},
});

/** What the API shows of a time slot; the order of the fields is part of the interface. */
export function toTimeSlot(document: SlotDocument): TimeSlot {
	return {
		id: document._id,
		service_id: document.service_id,
		day_of_week: document.day_of_week,
		start_time: document.start_time,
		end_time: document.end_time,
		max_bookings: document.max_bookings,
		valid_from: document.valid_from ?? null,
		valid_until: document.valid_until ?? null,
		created_at: document.created_at,
		updated_at: document.updated_at,
	};
}

/** One slot's part of a bulk update: what it becomes, if it is still as it was read. */
export interface SlotChange {
	slot_id: number;
	/** The revision that it was read at */
	revision: number;
	set: Pick<SlotDocument, keyof SlotSchedule | 'updated_at' | 'generation'>;
}

/** What a new schedule does to the slots of its service. Those that it names nowhere stay as they are. */
export interface Replacement {
	/** The generation of the schedule that it takes the place of */
	before: number;
	changed: SlotChange[];
	/** By id */
	retired: number[];
	added: SlotDocument[];
}

/** @param slot as it is to be, at the revision that it was read at */
export function changeOf(slot: SlotDocument): SlotChange {
	const { _id: slot_id, revision, updated_at, generation } = slot;
	return {
		slot_id,
		revision,
		set: { ...scheduleOf(slot), updated_at, ...(generation !== undefined && { generation }) },
	};
}

/** What a bulk update can change of a slot, as it is stored. It does not compile until it names each field of `TimeSlotChange`. */
export type SlotSchedule = Required<Omit<TimeSlotChange, 'id'>>;

export function scheduleOf(slot: Pick<SlotDocument, keyof SlotSchedule>): SlotSchedule {
	const { day_of_week, start_time, end_time, max_bookings, valid_from = null, valid_until = null } = slot;
	return { day_of_week, start_time, end_time, max_bookings, valid_from, valid_until };
}

/**
 * The bulk updates of an account, one at a time. Storing `changes` is the commit: from then on the update has happened
 * for every reader, and whoever meets it carries it out. `sequence` counts the updates, the deletions of services, and the
 * beginnings and ends of replacements of schedules, so that no update commits on what another has changed since.
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
	/** The service whose schedule is being replaced; 0 or absent: none. Whether it was is in that service's document */
	replacing?: number;
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

export const slotUpdateModel = modelOf<SlotUpdateDocument>('SlotUpdate', 'slot_updates', {
	fields: {
		_id: text,
		account_id: text,
		sequence: number,
		changes: { type: [Schema.Types.Mixed], default: [] },
		open_since: { type: Number, default: 0 },
		replacing: Number,
	},
	indexes: { open_since: { open_since: 1 } },
});
