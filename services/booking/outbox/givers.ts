import type { BookingDocument } from '../document/booking.model.ts';
import { takenBy, waitingEvents } from '../document/prepare-update.ts';
import type { UntoldGivers } from '../document/untold-givers.ts';

/** Bookings with those whose waiting events go before theirs. */
interface WithGivers {
	/** By id */
	newest: Map<number, BookingDocument>;
	/** Of those, the ones of which it was not asked who gave up what they took */
	cut: Set<number>;
}

/**
 * Finds the bookings, also of other processes, whose waiting events gave up what these take, or what those took before: theirs
 * go first, so that the log never has a place taken that it has not seen given up (ADR 52). A taker reads them after its own
 * write, and that was possible only after theirs.
 *
 * What a booking took is asked for after that booking was read, also where it was asked for before: it may have been taken
 * meanwhile. That brings little that is new, so it is done however much is known already.
 *
 * @param most bookings beside these from which on nothing else is asked for
 */
export async function withGivers(
	untold: UntoldGivers,
	documents: BookingDocument[],
	most: number,
): Promise<WithGivers> {
	const newest = new Map(documents.map((document) => [document._id, document]));
	const asked = new Set<string>();
	for (let takers = documents.filter(isTaker); ; ) {
		const isFull = newest.size >= documents.length + most;
		const now = isFull ? takers.filter((taker) => keysTaken(taker).every((key) => asked.has(key))) : takers;
		if (now.length === 0) return { newest, cut: new Set(takers.map(({ _id }) => _id)) };
		const keys = new Set(now.flatMap(keysTaken));
		const later = new Set(takers).difference(new Set(now));
		for (const key of keys) asked.add(key);
		for (const giver of await untold.find([...keys])) {
			if ((newest.get(giver._id)?.version ?? 0) >= giver.version) continue;
			newest.set(giver._id, giver);
			if (isTaker(giver)) later.add(giver);
		}
		takers = [...later];
	}
}

function isTaker(document: BookingDocument): boolean {
	return keysTaken(document).length > 0;
}

function keysTaken(document: BookingDocument): string[] {
	return waitingEvents(document.outbox).flatMap((entry) => takenBy(entry, document));
}
