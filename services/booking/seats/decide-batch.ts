import { type PlaceRefusal, placeRefusal } from '../../../shared/calendar/bookable.ts';
import type { ErrorType } from '../../../shared/contract/errors.ts';
import type { Occupant } from '../document/keys.ts';
import { drawSeat } from './capacity.ts';

/** What the decision needs to know of a claim. */
export interface Claimant {
	/** Of the booking that moves or returns; undefined for a new one, which no occupant can be */
	movedId: number | undefined;
	/** As `customerKey` makes it; null where no duplicate can be told */
	customerKey: string | null;
}

/** What a batch of claims is decided by. */
export interface Openings {
	/** Seats that may be taken: all of them, or at least as many as there are claims */
	seats: number[];
	/** The occupants; at least those with the id or the customer of a claim */
	occupants: readonly Occupant[];
	/** How many more bookings are active than the maximum: it was lowered */
	above: number;
}

export type Decision =
	| { kind: 'seat'; seat: number }
	/** The booking is here already: another process moved it meanwhile, or took it back from `cancelled`. */
	| { kind: 'stale' }
	/** `restsOn`: claims of this batch whose writes must succeed for the refusal to be right. */
	| {
			kind: 'refused';
			error: Extract<ErrorType, 'duplicate_booking' | 'closed' | 'time_slot_full'>;
			restsOn: number[];
	  };

/**
 * Decides a batch of claims on one occurrence, in order of arrival: who is a duplicate, who gets which seat, who finds
 * it closed or full. Duplicates are told before both.
 *
 * It reads nothing and writes nothing: a seat is held only when the unique indexes accepted it, and a decision that
 * rests on another claim's seat is made again if that one was not accepted.
 */
export function decideBatch(
	claims: readonly Claimant[],
	max: number,
	{ seats, occupants }: Pick<Openings, 'seats' | 'occupants'>,
): Decision[] {
	const fullAlready = seats.length === 0;
	const present = new Set(occupants.map((occupant) => occupant.id));
	const customers = new Map(occupants.map((occupant) => [occupant.customerKey, IN_STORE]));
	const accepted: number[] = [];
	return claims.map((claim, index) => {
		if (claim.movedId !== undefined && present.has(claim.movedId)) return { kind: 'stale' };
		const same = claim.customerKey === null ? undefined : customers.get(claim.customerKey);
		if (same !== undefined) {
			return { kind: 'refused', error: 'duplicate_booking', restsOn: same === IN_STORE ? [] : [same] };
		}
		const seat = drawSeat(seats);
		if (seat === undefined) {
			return {
				kind: 'refused',
				error: ERRORS[placeRefusal(max, max) ?? 'full'], // no seat is open: as many as the maximum are held
				restsOn: fullAlready ? [] : [...accepted],
			};
		}
		accepted.push(index);
		if (claim.customerKey !== null) customers.set(claim.customerKey, index);
		return { kind: 'seat', seat };
	});
}

const ERRORS = { closed: 'closed', full: 'time_slot_full' } as const satisfies Record<PlaceRefusal, ErrorType>;
const IN_STORE = -1; // no claim of this batch: a booking that is there already
