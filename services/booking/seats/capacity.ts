import { room } from '../../../shared/calendar/bookable.ts';
import { randomIndex } from '../../../shared/engine/ids.ts';
import type { Occupant } from '../document/keys.ts';

/*
 * Why an occurrence is never overbooked, however processes interleave, pause or lose their lock.
 *
 * The rule: a claim takes one of the first `max − active` free seats below `max` (`openSeats`); where no seat at or above
 * `max` is held, that is any free seat below `max`. It is obeyed by whoever gives out seats: creations (`new-booking.ts`),
 * moves and returns (`change-queue.ts`), and the audit's repair.
 *
 * An attempt reads the maximum and the occupants, both anew and in any order, and then writes such a seat. It begins with the
 * first of these reads, and is under way while its write may still land or is not yet seen by every reader. Between its reads
 * and its write anything may happen. A claim whose attempt was refused makes another one, never two at a time.
 *
 * The maximum is that of the date override which holds on the date, or else the slot's. Both are read so that what follows from
 * them was in force at one moment of the read (`services/catalog/schedule/slots-now.ts`): below, it is one number.
 *
 * Theorem 1. At no moment are more bookings active than the highest maximum that an attempt has read: each seat that was
 * ever given out lies below it, and the unique index `seats` gives each out once. Where the maximum was never lowered, this is
 * all. The rest is about lowered ones. It needs one more thing of the store: a read finds each booking that holds its seat
 * throughout the read (ADR 19). A primary of MongoDB that was deposed and does not know it yet may miss some; for that moment
 * only Theorem 1 is left.
 *
 * Theorem 2. Let an attempt that began after the moment τ have just been written, let M be the highest maximum since τ, and F
 * the active bookings whose attempts were under way at τ. Then at most M + F bookings are active. (With τ at the
 * answer to a lowering: only what was under way then may go above it, contract §3.)
 *
 * Proof. Besides those F, an active booking either has held its seat since τ (call these K), or its attempt began after τ
 * (these are N). Who holds a seat has `place`, `seat` and `counted_under` (`states.ts`): the index looks at them,
 * and occupants are read by it.
 * 1. An attempt of N read some maximum M′ ≤ M and some occupants O. Both reads were after τ, so O contains all of K.
 * 2. `openSeats` gave it a seat. A seat below that one which K leaves free is free in O, too: fewer than M′ − |O| of these;
 *    or it is taken by one of O that is not of K: |O| − |K| of these. Together they are fewer than M′ − |K|. So among the
 *    seats that K leaves free, the one it was given is one of the first M − |K|.
 * 3. Those M − |K| seats are the same for each attempt of N, and the index gives each one out once. So |N| ≤ M − |K|. ∎
 *
 * A booking that moves, to another date or slot, takes its new seat and gives up the old one in one write. So of each occurrence
 * it is one from the write by which it came to the one by which it left, whatever slot it was made for.
 *
 * Of a crowded occurrence not all occupants are read (`openings.ts`). There an attempt reads the maximum M′, then that no seat
 * at or above M′ is held, and takes any seat below it. That read was after τ, so K lies below M′, as does the seat that it
 * took, which K leaves free: it is one of the M − |K| seats below M that K leaves free. So step 3 holds for it, too.
 *
 * Step 2 needs the FIRST free seats. If any free seat below the maximum were open, a lowering would break it: from 5 to 3
 * with seats 3 and 4 taken, one more booking fits, but three at once could take the seats 0, 1 and 2.
 */

/** Open seats that are told of: twice as many as a batch may have claims. Of 10,000 a list of all is a tenth of a creation. */
const MOST_TOLD = 500;

/** Seats that may be taken now, ascending: the first `max − active` of the free ones below `max`, 500 of them at most. */
export function openSeats(max: number, occupants: readonly Occupant[]): number[] {
	const taken = new Set(occupants.map((occupant) => occupant.seat));
	return freeSeats(max, taken, Math.min(room(max, occupants.length), MOST_TOLD));
}

/** The first `count` seats below `max` that are not taken, ascending. */
export function freeSeats(max: number, taken: ReadonlySet<number>, count = max): number[] {
	const seats: number[] = [];
	for (let seat = 0; seats.length < count && seat < max; seat++) if (!taken.has(seat)) seats.push(seat);
	return seats;
}

/** Takes one of `seats` out, at random: contenders without the lock then rarely meet on the same one. */
export function drawSeat(seats: number[]): number | undefined {
	if (seats.length === 0) return undefined;
	const index = randomIndex(seats.length);
	const [seat] = seats.splice(index, 1);
	return seat;
}
