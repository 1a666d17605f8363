import { randomIndex } from '../../../shared/engine/ids.ts';
import type { Crowds } from '../document/crowds.ts';
import type { Occupant, Occurrence } from '../document/keys.ts';
import { openSeats } from './capacity.ts';
import type { Claimant, Openings } from './decide-batch.ts';

/** Seats that are looked at for each claim: enough where no more than about two thirds are taken, and then some */
const LOOKED_AT = 4;
const AND_THEN_SOME = 12;

/** @param occupants all there are */
export function openingsOf(max: number, occupants: readonly Occupant[]): Openings {
	return { seats: openSeats(max, occupants), occupants };
}

/**
 * The same where there are too many to read them all for each batch: some seats are drawn, and those taken that are free.
 * Why any free seat will do is told in `capacity.ts`. Where too few are free, all is read after all.
 */
export async function openingsOfCrowd(
	crowds: Crowds,
	occurrence: Occurrence,
	max: number,
	claims: readonly Claimant[],
): Promise<Openings> {
	const ids = claims.map(({ movedId }) => movedId).filter((id) => id !== undefined);
	const customers = claims.map(({ customerKey }) => customerKey).filter((key) => key !== null);
	const drawn = draw(max, LOOKED_AT * claims.length + AND_THEN_SOME);
	const [wasLowered, held, occupants] = await Promise.all([
		crowds.reaches(occurrence, max),
		crowds.held(occurrence, drawn),
		crowds.among(occurrence, ids, customers),
	]);
	const free = drawn.filter((seat) => !held.has(seat));
	if (!wasLowered && free.length >= claims.length) return { seats: free, occupants };
	if ((await crowds.count(occurrence)) >= max) return { seats: [], occupants };
	return openingsOf(max, await crowds.all(occurrence));
}

/** Different seats below `max`, at random. */
function draw(max: number, count: number): number[] {
	if (count >= max) return Array.from({ length: max }, (_, seat) => seat);
	const drawn = new Set<number>();
	while (drawn.size < count) drawn.add(randomIndex(max));
	return [...drawn];
}
