import { type Caller, call } from '../../../shared/bus/call.ts';
import { maximumOf } from '../../../shared/calendar/bookable.ts';
import type { Finding } from '../../../shared/contract/reports.ts';
import type { Logger } from '../../../shared/log/log.ts';
import type { BookingEngine } from '../booking-engine.ts';
import { type BookingDocument, NO_KEY } from '../document/booking.model.ts';
import { customerKey } from '../document/keys.ts';
import { prepareDeletion } from '../document/prepare-update.ts';
import { promisedFields } from '../document/promised.ts';
import { heldFields, heldUntil, releasedFields } from '../document/states.ts';
import { drawSeat, openSeats } from '../seats/capacity.ts';
import { hasOwnSeat } from './faults.ts';

/** What a repair sets, and what that means to an operator. */
interface Repair {
	set: Partial<BookingDocument>;
	meaning: string;
}

/**
 * Mends what is safe to mend in one write of this one booking, and notes it on the finding. Nothing that anybody was
 * promised is taken away: no active booking of the slot's own account loses its seat, and no client sees another version.
 * @param booking as it was when the finding was confirmed; where it changed since, nothing is written
 * @returns the booking as a further finding about it finds it
 */
export async function repairBooking(
	engine: BookingEngine,
	caller: Caller,
	booking: BookingDocument,
	finding: Finding,
	logger: Logger,
): Promise<BookingDocument> {
	let after = booking;
	if (finding.kind === 'service_closed') {
		await engine.store.all.deleteWithService(booking.service_id, [booking._id], engine.store.clock.now());
		finding.repaired = 'deleted, as its service is; its event follows';
	} else if (finding.kind === 'foreign_booking') {
		if (await deleteForeign(engine, caller, booking)) finding.repaired = 'deleted; its account gets the event';
		else finding.detail += '; not repaired: it changed meanwhile';
	} else {
		const repair = await repairOf(engine, booking, finding);
		if (repair === undefined) return booking;
		const repaired = await engine.store.repair(booking, repair.set);
		after = repaired ?? booking;
		if (repaired) finding.repaired = repair.meaning;
		else finding.detail += '; not repaired: it changed meanwhile, or another booking holds its keys';
	}
	if (finding.repaired !== null) {
		logger.warn({ booking_id: booking._id, finding: finding.kind, repaired: finding.repaired }, 'the audit repaired');
	}
	return after;
}

async function repairOf(
	engine: BookingEngine,
	booking: BookingDocument,
	{ kind }: Finding,
): Promise<Repair | undefined> {
	switch (kind) {
		case 'wrong_keys':
			return rightKeys(engine, booking);
		case 'holds_after_end':
			return { set: releasedFields(booking._id), meaning: 'its seat and keys are free' };
		case 'wrong_list':
			return booking.deleted_at === null
				? { set: { listed_under: booking.service_id }, meaning: 'listed under its service' }
				: { set: { listed_under: 0 }, meaning: 'taken off the list' };
		case 'wrong_hold':
			return { set: { held_until: heldUntil(booking) }, meaning: 'marked as its status says' };
		case 'wrong_idempotency':
			if (booking.idempotency !== null && booking.idempotency_key !== NO_KEY) return undefined; // a retry may look for it
			return { set: { idempotency_key: NO_KEY, idempotency: null }, meaning: 'its idempotency key is free' };
		case 'event_forgotten':
			return { set: { relay_at: engine.store.clock.now() }, meaning: 'the next sweep delivers its events' };
		default:
			return undefined;
	}
}

/**
 * Deletes a booking that version 0.1 let an account make on another one's slot (ADR 22). Its account hears of it with the
 * next event; of the slot that tells what the booking is about, not what its owner did with it since.
 * @returns false where it changed meanwhile
 */
async function deleteForeign(
	{ store, relay }: BookingEngine,
	caller: Caller,
	booking: BookingDocument,
): Promise<boolean> {
	const owned = await call(caller, 'catalog.findSlot', { time_slot_id: booking.time_slot_id });
	if (owned === null || owned.account_id === booking.account_id) return false;
	const at = booking.created_at;
	const slot = { ...owned.slot, max_bookings: 0, created_at: at, updated_at: at };
	const before = { ...booking, ...promisedFields({ ...owned, slot }, booking.date) };
	const { update, after } = prepareDeletion(before, store.clock.now());
	if ((await store.update(booking, update)) !== 'written') return false;
	relay.send(after);
	return true;
}

/**
 * The keys that an active booking must hold: with its own seat, or, where that is another's by now, one by the engine's own
 * rule. None where no seat is open.
 */
async function rightKeys({ store, slots }: BookingEngine, booking: BookingDocument): Promise<Repair | undefined> {
	const { _id, account_id, time_slot_id, date } = booking;
	const [slot, occupants] = await Promise.all([
		slots.ask({ account_id, time_slot_id, date, retired: true }),
		store.crowds.all({ account_id, time_slot_id, date }),
	]);
	const others = occupants.filter(({ id }) => id !== _id);
	if (hasOwnSeat(booking) && others.every(({ seat }) => seat !== booking.seat)) {
		const set = heldFields(booking, booking.seat, customerKey(booking));
		return { set, meaning: 'its seat, count and customer are held again' };
	}
	if (slot === null) return undefined;
	const seat = drawSeat(openSeats(maximumOf(slot.slot, slot.override), others));
	if (seat === undefined) return undefined;
	return { set: heldFields(booking, seat, customerKey(booking)), meaning: `it holds seat ${seat}` };
}
