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
	return there(sources, () => sources.store.find(account_id, booking_id));
}

/** To show it. @throws booking_not_found */
export async function findShown(
	sources: Sources,
	{ account_id, booking_id }: Scoped & { booking_id: number },
): Promise<WithPromise<ShownBooking>> {
	return there(sources, () => sources.store.findShown(account_id, booking_id));
}

async function there<B extends ShownBooking>(sources: Sources, find: () => Promise<B | null>): Promise<WithPromise<B>> {
	for (;;) {
		const booking = await find();
		if (booking === null) throw new ApiError('booking_not_found');
		const [open] = await ofOpenServices(sources.store, [booking]);
		if (open === undefined) continue; // it is deleted now, or had moved to another service
		const [found] = await promised(sources, [open]);
		if (found === undefined) throw new ApiError('booking_not_found');
		return found;
	}
}

/** Those of these bookings that a client may see, with what they were promised. Nearly all are so as they were read. */
export async function showable<B extends ShownBooking>(sources: Sources, bookings: B[]): Promise<WithPromise<B>[]> {
	return promised(sources, await ofOpenServices(sources.store, bookings));
}

/**
 * One that was written after its service was closed is about to be undone, by its writer or by the sweep. Until one of
 * them has looked for the mark, its events wait. So only where events wait is the mark looked for. Whoever finds it deletes
 * the booking: what somebody was told is gone does not come back once its events are delivered (ADR 6).
 */
async function ofOpenServices<B extends ShownBooking>(
	{ closures, all, clock }: BookingStore,
	bookings: B[],
): Promise<B[]> {
	const waiting = bookings.filter(({ relay_at }) => relay_at > 0);
	if (waiting.length === 0) return bookings;
	const marked = await Promise.all(
		waiting.map(async (booking) =>
			(await closures.isClosed(booking.account_id, booking.service_id)) ? [booking] : [],
		),
	);
	const left = new Set<B>(marked.flat());
	for (const [service_id, group] of Map.groupBy(left, (booking) => booking.service_id)) {
		const ids = group.map(({ _id }) => _id);
		await all.deleteWithService(service_id, ids, clock.now());
	}
	return left.size === 0 ? bookings : bookings.filter((booking) => !left.has(booking));
}

/** One of an earlier version that the upgrade has not met gets what it was promised from its slot as it is now. */
async function promised<B extends ShownBooking>({ slots }: Sources, bookings: B[]): Promise<WithPromise<B>[]> {
	if (bookings.every(isPromised)) return bookings;
	const all = await Promise.all(
		bookings.map(async (booking) => {
			if (isPromised(booking)) return [booking];
			const { account_id, time_slot_id, date } = booking;
			const slot = await slots.ask({ account_id, time_slot_id, retired: true });
			return slot === null ? [] : [{ ...booking, ...promisedFields(slot, date) }];
		}),
	);
	return all.flat();
}

function isPromised<B extends ShownBooking>(booking: B): booking is WithPromise<B> {
	return booking.promised !== undefined;
}
