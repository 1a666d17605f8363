import type { Scoped } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { SlotSource } from './catalog-source.ts';
import type { PromisedBooking, ShownBooking, WithPromise } from './document/booking.model.ts';
import type { BookingStore } from './document/booking-store.ts';
import { promisedFields } from './document/promised.ts';

interface Sources {
	store: BookingStore;
	slots: SlotSource;
}

/** @throws booking_not_found */
export async function findBooking(
	sources: Sources,
	{ account_id, booking_id }: Scoped & { booking_id: number },
): Promise<PromisedBooking> {
	return there(sources, await sources.store.find(account_id, booking_id));
}

/** To show it. @throws booking_not_found */
export async function findShown(
	sources: Sources,
	{ account_id, booking_id }: Scoped & { booking_id: number },
): Promise<WithPromise<ShownBooking>> {
	return there(sources, await sources.store.findShown(account_id, booking_id));
}

async function there<B extends ShownBooking>(sources: Sources, booking: B | null) {
	const [found] = booking === null ? [] : await showable(sources, [booking]);
	if (found === undefined) throw new ApiError('booking_not_found');
	return found;
}

/**
 * Those of these bookings that a client may see, with what they were promised. Nearly all are so as they were read:
 *
 * - One that was written after its service was closed is about to be undone, by its writer or by the sweep. Until one of them
 *   has looked for the mark, its events wait. So only where events wait is the mark looked for.
 * - One of an earlier version that the upgrade has not met gets what it was promised from its slot as it is now.
 */
export async function showable<B extends ShownBooking>(
	{ store, slots }: Sources,
	bookings: B[],
): Promise<WithPromise<B>[]> {
	if (bookings.every((booking) => booking.relay_at <= 0 && isPromised(booking))) {
		return bookings as WithPromise<B>[];
	}
	const shown = await Promise.all(
		bookings.map(async (booking) => {
			const { account_id, service_id, time_slot_id, date } = booking;
			if (booking.relay_at > 0 && (await store.closures.isClosed(account_id, service_id))) return [];
			if (isPromised(booking)) return [booking];
			const slot = await slots.ask({ account_id, time_slot_id, retired: true });
			return slot === null ? [] : [{ ...booking, ...promisedFields(slot, date) }];
		}),
	);
	return shown.flat();
}

function isPromised<B extends ShownBooking>(booking: B): booking is WithPromise<B> {
	return booking.promised !== undefined;
}
