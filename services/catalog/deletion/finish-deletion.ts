import { call } from '../../../shared/bus/call.ts';
import { isUnavailable, retryDeadlock } from '../../../shared/store/write-errors.ts';
import { withoutDeadline } from '../../../shared/work/deadline.ts';
import type { Request } from '../catalog.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { endSlotUpdates } from '../schedule/finish-slot-update.ts';
import { type SlotDocument, toTimeSlot } from '../schedule/slot.model.ts';
import type { ServiceDocument } from '../service.model.ts';

type Deleted = Pick<ServiceDocument, '_id' | 'account_id'>;

/**
 * Does what the stamp of a deleted service leaves to do; each step may be repeated, and by several at once: its slots
 * go, and no bulk update that found them there can be committed any more; booking closes the service and acknowledges,
 * that is noted, the slots' documents go.
 *
 * @throws what booking answers, where it does not acknowledge; then all is still to be done
 */
export function finishDeletion(
	store: CatalogStore,
	service: Deleted,
	{ caller }: Pick<Request, 'caller'>,
): Promise<void> {
	return withoutDeadline(() => finish(store, service, caller));
}

async function finish(store: CatalogStore, { _id, account_id }: Deleted, caller: Request['caller']): Promise<void> {
	await retire(store, { _id, account_id });
	await endSlotUpdates(store, account_id);
	const slots = await goneSlots(store, { _id, account_id });
	await call(caller, 'booking.closeService', { account_id, service_id: _id, slots: slots.map(toTimeSlot) });
	await store.services.updateOne({ _id, account_id, unfinished: 'deleting' }, { $set: { unfinished: 'purging' } });
	await purge(store, { _id, account_id }).catch((error: unknown) => {
		if (!isUnavailable(error)) throw error; // the sweep does it
	});
}

/** Removes the slots of a service that booking has closed. */
export async function purge(store: CatalogStore, { _id, account_id }: Deleted): Promise<void> {
	await store.slots.deleteMany({ account_id, service_id: _id, state: 'gone' });
	await store.services.updateOne({ _id, account_id, unfinished: 'purging' }, { $set: { unfinished: '' } });
}

/** All of them, for the events of their bookings. */
function goneSlots(store: CatalogStore, { _id, account_id }: Deleted): Promise<SlotDocument[]> {
	return store.slots.find({ account_id, service_id: _id, state: 'gone' }).sort({ _id: 1 }).lean<SlotDocument[]>();
}

/**
 * From here no slot of the service is listed or booked. First the new ones, then the active ones: a slot that somebody
 * else makes active meanwhile is then met by the second update, which a single one over both might miss.
 */
export async function retire(store: CatalogStore, { _id, account_id }: Deleted): Promise<void> {
	for (const state of ['new', 'active'] as const) {
		await retryDeadlock(() =>
			store.slots.updateMany({ account_id, service_id: _id, state }, { $set: { state: 'gone' } }),
		);
	}
}
