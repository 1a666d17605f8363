import { isDeepStrictEqual } from 'node:util';
import type { BookingUpdateParams, IfMatch, Scoped, VersionedCustomer } from '../../shared/contract/actions.ts';
import { ApiError, type Fault } from '../../shared/contract/errors.ts';
import { mergeMetadata } from '../../shared/contract/merge-metadata.ts';
import type { Booking, Customer, UpdateBooking, UpdateCustomer } from '../../shared/contract/schemas/booking.ts';
import type { EventType } from '../../shared/contract/schemas/event.ts';
import { timestamp } from '../../shared/engine/clock.ts';
import type { Deadline } from '../../shared/work/deadline.ts';
import type { BookingEngine } from './booking-engine.ts';
import { assertBookable } from './catalog-source.ts';
import type { PlannedChange } from './changes/planned-change.ts';
import { type BookingDocument, type PromisedBooking, toBooking } from './document/booking.model.ts';
import { normalisedEmail } from './document/keys.ts';
import { promisedFields } from './document/promised.ts';

/** Confirms, cancels, un-cancels, moves or annotates a booking: whatever the body names, in one write. */
export async function updateBooking(
	{ changes }: BookingEngine,
	{ body, read_only = {}, ignore_rules: ignoresRules = false, ...key }: Scoped & BookingUpdateParams,
	deadline: Deadline,
): Promise<Booking> {
	if (body.status === 'cancelled' && body.cancel_reason == null) throw new ApiError('cancel_reason_required');
	const request = { ...key, expected: body.version, looksAtSlot: body.date !== undefined, ignoresRules };
	const changed = await changes.change(request, deadline, ({ booking, slot }, now) => {
		const set = differences(booking, body);
		if (set.date !== undefined) {
			assertBookable(slot!, { date: set.date, ignoresRules }, now);
			Object.assign(set, promisedFields(slot!, set.date));
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
function differences(before: BookingDocument, body: UpdateBooking): PlannedChange['set'] {
	const set: PlannedChange['set'] = {};
	const status = body.status ?? before.status;
	if (status !== before.status) set.status = status;
	if (body.date !== undefined && body.date !== before.date) set.date = body.date;
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

function reasonOf(before: BookingDocument, body: UpdateBooking): string | null {
	if (body.cancel_reason === null) throw new ApiError('cancel_reason_required');
	return body.cancel_reason ?? before.cancel_reason;
}

function eventFor(status: BookingDocument['status'] | undefined): EventType {
	if (status === 'cancelled') return 'booking.cancelled';
	return status === 'confirmed' ? 'booking.confirmed' : 'booking.updated';
}
