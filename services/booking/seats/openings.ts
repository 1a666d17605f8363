import { randomIndex } from '../../../shared/engine/ids.ts';
import type { Crowds } from '../document/crowds.ts';
import type { Occupant, Occurrence } from '../document/keys.ts';
import { freeSeats, openSeats } from './capacity.ts';
import type { Claimant, Openings } from './decide-batch.ts';
import type { LikelyFree } from './likely-free.ts';

/** Seats that are looked at for each claim: enough where no more than about two thirds are taken, and then some */
const LOOKED_AT = 4;
const AND_THEN_SOME = 12;

/** Occupants whose hold has ended that are read of a crowd, as many as a batch may have claims */
const EXPIRED = 250;

/** @param occupants all there are */
export function openingsOf(max: number, occupants: readonly Occupant[]): Openings {
	return { seats: openSeats(max, occupants), occupants, above: Math.max(0, occupants.length - max) };
}

/**
 * Occupants whose hold has ended and that a batch would be refused for: those that are a claim's own customer, and as many
 * others as places are wanting, those that ended first before others.
 * @param now ms, not before the last of the claims came
 */
export function expiredInTheWay(
	claims: readonly Claimant[],
	max: number,
	{ seats, occupants, above }: Openings,
	now: number,
): number[] {
	const expired = occupants.filter(({ heldUntil }) => heldUntil > 0 && heldUntil <= now);
	if (expired.length === 0) return [];
	const customers = new Set(claims.map(({ customerKey }) => customerKey));
	const own = expired.filter(({ customerKey }) => customers.has(customerKey));
	const wanting = max === 0 ? 0 : Math.max(0, claims.length - seats.length) + above - own.length;
	const others = expired.filter((occupant) => !own.includes(occupant)).sort((a, b) => a.heldUntil - b.heldUntil);
	return [...own, ...others.slice(0, Math.max(0, wanting))].map(({ id }) => id);
}

/**
 * The same where there are too many to read them all for each batch: some seats are looked at, and those taken that are free.
 * Why any free seat will do is told in `capacity.ts`. Where too few are free, it is counted, and then all seats are read.
 * @param likely where to look first; others are drawn
 */
export async function openingsOfCrowd(
	crowds: Crowds,
	likely: LikelyFree,
	{ occurrence, service_id, max }: { occurrence: Occurrence; service_id: number; max: number },
	claims: readonly Claimant[],
	now: number,
): Promise<Openings> {
	const ids = claims.map(({ movedId }) => movedId).filter((id) => id !== undefined);
	const customers = claims.map(({ customerKey }) => customerKey).filter((key) => key !== null);
	const wanted = LOOKED_AT * claims.length + AND_THEN_SOME;
	const known = likely.some(wanted);
	const looked = [...new Set([...known, ...draw(max, wanted - known.length)])];
	const [wasLowered, held, occupants] = await Promise.all([
		crowds.reaches(occurrence, max),
		crowds.held(occurrence, looked),
		crowds.among(occurrence, ids, customers),
	]);
	likely.forget(held);
	const free = looked.filter((seat) => seat < max && !held.has(seat));
	if (!wasLowered && free.length >= claims.length) return { seats: free, occupants, above: 0 };
	// Before the count: what it does not find was not expired, or is not counted.
	const expired = await crowds.expired(occurrence, service_id, now, EXPIRED);
	const active = await crowds.count(occurrence, service_id);
	const those = union(occupants, expired);
	if (active >= max) return { seats: [], occupants: those, above: active - max };
	if (wasLowered) return openingsOf(max, await crowds.all(occurrence));
	const seats = freeSeats(max, await crowds.held(occurrence));
	likely.remember(seats);
	return { seats, occupants: those, above: 0 };
}

function union(left: Occupant[], right: Occupant[]): Occupant[] {
	return [...new Map([...left, ...right].map((occupant) => [occupant.id, occupant])).values()];
}

/** Different seats below `max`, at random. */
function draw(max: number, count: number): number[] {
	if (count >= max) return Array.from({ length: max }, (_, seat) => seat);
	const drawn = new Set<number>();
	while (drawn.size < count) drawn.add(randomIndex(max));
	return [...drawn];
}
