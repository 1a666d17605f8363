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
	/** What each took of which it is still to be asked who gave it up, by booking */
	const open = new Map<number, string[]>();
	const note = (document: BookingDocument) => {
		const keys = keysTaken(document);
		if (keys.length > 0) open.set(document._id, keys);
	};
	for (const document of documents) note(document);
	for (;;) {
		const isFull = newest.size >= documents.length + most;
		const now = [...open].filter(([, keys]) => !isFull || keys.every((key) => asked.has(key)));
		if (now.length === 0) return { newest, cut: new Set(open.keys()) };
		for (const [id] of now) open.delete(id);
		const keys = new Set(now.flatMap(([, keys]) => keys));
		for (const key of keys) asked.add(key);
		for (const giver of await untold.find([...keys])) {
			if ((newest.get(giver._id)?.version ?? 0) >= giver.version) continue;
			newest.set(giver._id, giver);
			note(giver);
		}
	}
}

function keysTaken(document: BookingDocument): string[] {
	return waitingEvents(document.outbox).flatMap((entry) => takenBy(entry, document));
}
