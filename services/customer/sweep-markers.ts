import { SKEW } from '../../shared/engine/clock.ts';
import type { CustomerModel } from './customer.model.ts';

/**
 * ms that a deleted customer's marker is kept: 31 days, a day longer than the event log keeps what a stalled relay could
 * still bring.
 */
const KEPT = 31 * 24 * 3_600_000 + SKEW;
/** Markers removed at a time */
const PIECE = 500;

/**
 * Removes the markers of bookings that were deleted more than 31 days ago. Any number of processes may do this at once.
 *
 * @param now ms
 * @param signal ends it early
 * @returns how many were removed
 */
export async function sweepMarkers(model: CustomerModel, now: number, signal?: AbortSignal): Promise<number> {
	const expired = { deleted_at: { $gt: 0, $lt: now - KEPT } };
	for (let removed = 0; ; ) {
		const page = await model.find(expired, { _id: 1 }, { everyAccount: true }).limit(PIECE).lean();
		if (page.length === 0 || signal?.aborted) return removed;
		const ids = page.map((marker) => marker._id);
		const { deletedCount } = await model.deleteMany({ _id: { $in: ids }, ...expired }, { everyAccount: true });
		removed += deletedCount;
	}
}
