import { isDeepStrictEqual } from 'node:util';
import type {
	BookingUpdateParams,
	IfMatch,
	Scoped,
	SlotNow,
	VersionedCustomer,
} from '../../shared/contract/actions.ts';
import { ApiError, type Fault } from '../../shared/contract/errors.ts';
import { mergeMetadata } from '../../shared/contract/merge-metadata.ts';
import { normalisedEmail } from '../../shared/contract/person.ts';
import type { Booking, Customer, UpdateBooking, UpdateCustomer } from '../../shared/contract/schemas/booking.ts';
import type { BookingEventType } from '../../shared/contract/schemas/event.ts';
import { timestamp } from '../../shared/engine/clock.ts';
import type { Deadline } from '../../shared/work/deadline.ts';
import type { BookingEngine } from './booking-engine.ts';
import { assertBookable } from './catalog-source.ts';
import type { PlannedChange } from './changes/planned-change.ts';
import { type BookingDocument, type PromisedBooking, toBooking } from './document/booking.model.ts';

import { promisedFields } from './document/promised.ts';
import { holdFields } from './document/states.ts';

/** Confirms, cancels, un-cancels, moves or annotates a booking: whatever the body names, in one write. */
export async function updateBooking(
	{ changes }: BookingEngine,
	{ body, read_only = {}, ignore_rules: ignoresRules = false, ...key }: Scoped & BookingUpdateParams,
	deadline: Deadline,
): Promise<Booking> {
	if (body.status === 'cancelled' && body.cancel_reason == null) throw new ApiError('cancel_reason_required');
	const slot = body.time_slot_id ?? (body.date === undefined ? undefined : ('its own' as const));
	const request = { ...key, expected: body.version, slot, ignoresRules };
	const wasRead = 'starts_at' in read_only || 'time_slot' in read_only;
	const changed = await changes.change(request, deadline, ({ booking, slots }, now) => {
		const set = differences(booking, body, now);
		const target = targetOf(booking, body, wasRead);
		if (target !== undefined) {
			const slotNow = slots.get(target.time_slot_id);
			if (slotNow == null) throw new ApiError('time_slot_not_found');
			const placement = placementOn(slotNow, target.date);
			if (isElsewhere(booking, placement)) {
				assertBookable(slotNow, { date: target.date, ignoresRules }, now);
				Object.assign(set, placement);
			}
		}
		assertAsItIs(read_only, [booking, { ...booking, ...set }]);
		return Object.keys(set).length === 0 ? null : { set, event: eventFor(set.status) };
	});
	return toBooking(changed);
}

/**
 * Changes a booking's customer. It is a change of the booking, whose version it raises.
 * @throws duplicate_booking where the new address has a booking for the same slot and date
 */
export async function updateCustomer(
	{ changes }: BookingEngine,
	{ body, ...key }: Scoped & { booking_id: number; body: UpdateCustomer; if_match?: IfMatch },
	deadline: Deadline,
): Promise<VersionedCustomer> {
	const { customer, version } = await changes.change(key, deadline, ({ booking: { customer } }, now) => {
		const changed: Customer = {
			...customer,
			name: body.name === undefined ? customer.name : body.name,
			email: body.email === undefined ? customer.email : body.email,
			phone: body.phone === undefined ? customer.phone : body.phone,
		};
		const same = (['name', 'email', 'phone'] as const).every((field) => changed[field] === customer[field]);
		if (same) return null;
		changed.updated_at = timestamp(now);
		const email_key = changed.email === null ? '' : normalisedEmail(changed.email);
		return { set: { customer: changed, email_key }, event: 'booking.updated' };
	});
	return { customer, version };
}

/** The slot and the date that the body asks for; undefined where it asks for none but what the booking has. */
function targetOf(
	{ time_slot_id, date }: PromisedBooking,
	body: UpdateBooking,
	wasRead: boolean,
): { time_slot_id: number; date: string } | undefined {
	const target = { time_slot_id: body.time_slot_id ?? time_slot_id, date: body.date ?? date };
	if (target.time_slot_id !== time_slot_id || target.date !== date) return target;
	return body.time_slot_id === undefined || wasRead ? undefined : target; // its slot alone: to the slot's present times
}

/** The fields of a booking that tell where and when it is. */
function placementOn(slotNow: SlotNow, date: string) {
	const { id: time_slot_id, service_id } = slotNow.slot;
	return { time_slot_id, service_id, listed_under: service_id, date, ...promisedFields(slotNow, date) };
}

/** Whether a booking is at another slot or date than this, or was promised other times of it. */
function isElsewhere(booking: PromisedBooking, placement: ReturnType<typeof placementOn>): boolean {
	if (booking.time_slot_id !== placement.time_slot_id || booking.date !== placement.date) return true;
	const [then, now] = [booking.promised, placement.promised];
	return then.starts_at !== now.starts_at || then.ends_at !== now.ends_at || then.timezone !== now.timezone;
}

/**
 * A booking that was read can be sent back, but what cannot be changed so is not silently left as it is.
 * @param states the booking before the change and after it: what was read, or what it is to be
 * @throws invalid_request where a field differs from both
 */
function assertAsItIs(read_only: Record<string, unknown>, states: PromisedBooking[]): void {
	const names = Object.keys(read_only) as (keyof Booking)[];
	if (names.length === 0) return;
	const shown = states.map(toBooking);
	const differing = names.filter((name) => !shown.some((booking) => isDeepStrictEqual(booking[name], read_only[name])));
	if (differing.length === 0) return;
	const faultOf = (field: string): Fault => ({ field, code: 'read_only', message: 'must be what it is, or left out' });
	throw ApiError.naming('invalid_request', differing.map(faultOf));
}

/** The fields that the body changes. A reason beside another status than `cancelled` is ignored. */
function differences(before: BookingDocument, body: UpdateBooking, now: number): PlannedChange['set'] {
	const set: PlannedChange['set'] = {};
	const status = body.status ?? before.status;
	const expires_at = expiryOf(before, status, body.hold_minutes, now);
	if (expires_at !== (before.expires_at ?? null)) set.expires_at = expires_at;
	if (status !== before.status) set.status = status;
	if (body.message !== undefined && body.message !== before.message) set.message = body.message;
	if (body.metadata !== undefined) {
		const metadata = mergeMetadata(before.metadata ?? {}, body.metadata);
		if (!isDeepStrictEqual(metadata, before.metadata ?? {})) set.metadata = metadata;
	}
	const reason = status === 'cancelled' ? reasonOf(before, body) : null;
	if (body.status === undefined && status !== 'cancelled' && body.cancel_reason != null) {
		const message = 'only a cancelled booking has one';
		throw ApiError.naming('invalid_request', [{ field: 'cancel_reason', code: 'contradiction', message }]);
	}
	if (reason !== before.cancel_reason) set.cancel_reason = reason;
	return set;
}

/**
 * When a booking's hold ends, once it has this status. Whoever expired keeps the moment; only a return to `pending` leaves it behind.
 * @throws hold_expired where it was not confirmed in time; invalid_request where what is not pending is to be held
 */
function expiryOf(
	before: BookingDocument,
	status: BookingDocument['status'],
	minutes: number | null | undefined,
	now: number,
): string | null {
	const current = before.expires_at ?? null;
	const hasExpired = before.status === 'cancelled' && current !== null;
	if (hasExpired && status === 'confirmed') throw new ApiError('hold_expired');
	if (minutes != null && status !== 'pending') {
		const message = 'only a pending booking has one';
		throw ApiError.naming('invalid_request', [{ field: 'hold_minutes', code: 'contradiction', message }]);
	}
	if (minutes != null) return holdFields(minutes, now).expires_at;
	if (hasExpired && status === 'cancelled') return current;
	return status !== 'pending' || minutes === null || hasExpired ? null : current;
}

function reasonOf(before: BookingDocument, body: UpdateBooking): string | null {
	if (body.cancel_reason === null) throw new ApiError('cancel_reason_required');
	return body.cancel_reason ?? before.cancel_reason;
}

function eventFor(status: BookingDocument['status'] | undefined): BookingEventType {
	if (status === 'cancelled') return 'booking.cancelled';
	return status === 'confirmed' ? 'booking.confirmed' : 'booking.updated';
}
