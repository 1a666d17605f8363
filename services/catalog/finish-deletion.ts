import { call } from '../../shared/call.ts';
import { withoutDeadline } from '../../shared/deadline.ts';
import { isUnavailable, retryDeadlock } from '../../shared/store/write-errors.ts';
import type { Request } from './catalog.ts';
import type { CatalogStore } from './catalog-store.ts';
import type { ServiceDocument } from './service.model.ts';
import { type SlotDocument, toTimeSlot } from './slot.model.ts';

type Deleted = Pick<ServiceDocument, '_id' | 'account_id'>;

/**
 * Does what the stamp of a deleted service leaves to do; each step may be repeated, and by several at once: its slots
 * go, booking closes the service and acknowledges, that is noted, the slots' documents go.
 *
 * @param answering the client will be told, so that a DELETE after this one is a 404
 * @throws what booking answers, where it does not acknowledge; then all is still to be done
 */
export function finishDeletion(
	store: CatalogStore,
	service: Deleted,
	{ caller }: Pick<Request, 'caller'>,
	{ answering }: { answering: boolean },
): Promise<void> {
	return withoutDeadline(() => finish(store, service, caller, answering));
}

async function finish(
	store: CatalogStore,
	{ _id, account_id }: Deleted,
	caller: Request['caller'],
	answering: boolean,
): Promise<void> {
	const slots = await retire(store, { _id, account_id });
	await call(caller, 'booking.closeService', { account_id, service_id: _id, slots: slots.map(toTimeSlot) });
	const told = answering ? { delete_answered: true } : {};
	const noted = await store.services.updateOne(
		{ _id, account_id, unfinished: 'deleting' },
		{ $set: { unfinished: 'purging', ...told } },
	);
	if (noted.matchedCount === 0 && answering) {
		await store.services.updateOne({ _id, account_id }, { $set: told }); // the sweep was faster
	}
	await purge(store, { _id, account_id }).catch((error: unknown) => {
		if (!isUnavailable(error)) throw error; // the sweep does it
	});
}

/** Removes the slots of a service that booking has closed. */
export async function purge(store: CatalogStore, { _id, account_id }: Deleted): Promise<void> {
	await store.slots.deleteMany({ account_id, service_id: _id, state: 'gone' });
	await store.services.updateOne({ _id, account_id, unfinished: 'purging' }, { $set: { unfinished: '' } });
}

/**
 * From here no slot of the service is listed or booked. First the new ones, then the active ones: a slot that somebody
 * else makes active meanwhile is then met by the second update, which a single one over both might miss.
 * @returns all of them, for the events of their bookings
 */
async function retire(store: CatalogStore, { _id, account_id }: Deleted): Promise<SlotDocument[]> {
	for (const state of ['new', 'active'] as const) {
		await retryDeadlock(() =>
			store.slots.updateMany({ account_id, service_id: _id, state }, { $set: { state: 'gone' } }),
		);
	}
	return store.slots.find({ account_id, service_id: _id, state: 'gone' }).sort({ _id: 1 }).lean<SlotDocument[]>();
}
