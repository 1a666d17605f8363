import type { Connection } from 'mongoose';
import { occurrenceOn } from '../../calendar/occurrence.ts';

interface Slot {
	_id: number;
	account_id: string;
	service_id: number;
	day_of_week: number;
	start_time: string;
	end_time: string;
	max_bookings: number;
	valid_from?: string | null;
	valid_until?: string | null;
	revision: number;
	created_at: string;
	updated_at: string;
}

interface Booking {
	_id: number;
	account_id: string;
	time_slot_id: number;
	date: string;
	promised?: object | null;
}

interface SlotUpdates {
	_id: string;
	open_since: number;
	changes: { slot_id: number; revision: number; set: Partial<Slot> }[];
}

/** Bookings of one page: those of one occurrence are written together */
const PAGE = 500;

/**
 * Bookings begin to say when they are: what is promised is the slot as it is now. A booking on another account's slot (ADR 22)
 * is left as it is, for the slot is none of its account's business, and so is one whose slot is gone.
 */
export async function promiseMoments(connection: Connection): Promise<void> {
	const bookings = connection.collection<Booking>('bookings');
	const fields = { account_id: 1, time_slot_id: 1, date: 1, promised: 1 };
	const changesOf = await openChanges(connection);
	for (let last = 0; ; ) {
		const page = await bookings
			.find({ _id: { $gt: last } }, { projection: fields, sort: { _id: 1 }, limit: PAGE })
			.toArray();
		if (page.length === 0) return;
		last = page.at(-1)!._id;
		const without = page.filter(({ promised }) => promised == null);
		const promisedBy = await promises(connection, without, changesOf);
		const occurrences = Map.groupBy(without, (booking) =>
			[booking.account_id, booking.time_slot_id, booking.date].join(),
		);
		await Promise.all(
			[...occurrences.values()].map(async (group) => {
				const { account_id, time_slot_id, date } = group[0]!;
				const $set = promisedBy(group[0]!);
				const same = { _id: { $in: group.map(({ _id }) => _id) }, account_id, time_slot_id, date, promised: null };
				if ($set !== undefined) await bookings.updateMany(same as object, { $set });
			}),
		);
	}
}

/** What the slots of these bookings promise. */
async function promises(connection: Connection, bookings: Booking[], changesOf: Map<number, SlotUpdates['changes']>) {
	const ids = [...new Set(bookings.map(({ time_slot_id }) => time_slot_id))];
	const slots = await byId<Slot>(connection, 'time_slots', ids);
	const services = [...new Set([...slots.values()].map(({ service_id }) => service_id))];
	const zones = await byId<{ _id: number; timezone: string }>(connection, 'services', services);
	return ({ account_id, time_slot_id, date }: Booking) => {
		const stored = slots.get(time_slot_id);
		const timezone = stored && zones.get(stored.service_id)?.timezone;
		if (stored?.account_id !== account_id || timezone === undefined) return undefined;
		const change = changesOf.get(time_slot_id)?.find(({ revision }) => revision === stored.revision);
		const slot = { ...stored, ...change?.set };
		const moments = occurrenceOn(date, timezone, slot);
		return { promised: { ...moments, timezone, time_slot: shown(slot) }, starts_ms: Date.parse(moments.starts_at) };
	};
}

/** As the API shows it. */
function shown({ _id: id, service_id, day_of_week, start_time, end_time, max_bookings, ...slot }: Slot) {
	const { valid_from = null, valid_until = null, created_at, updated_at } = slot;
	const times = { day_of_week, start_time, end_time, max_bookings, valid_from, valid_until };
	return { id, service_id, ...times, created_at, updated_at };
}

/** Of bulk updates of slots that were committed and are perhaps not yet carried out, by slot. */
async function openChanges(connection: Connection): Promise<Map<number, SlotUpdates['changes']>> {
	const open = await connection
		.collection<SlotUpdates>('slot_updates')
		.find({ open_since: { $gt: 0 } })
		.toArray();
	return Map.groupBy(
		open.flatMap(({ changes }) => changes),
		({ slot_id }) => slot_id,
	);
}

async function byId<T extends { _id: number }>(connection: Connection, name: string, ids: number[]) {
	const found =
		ids.length === 0
			? []
			: await connection
					.collection<T>(name)
					.find({ _id: { $in: ids } } as object)
					.toArray();
	return new Map(found.map((one) => [one._id, one as T]));
}
