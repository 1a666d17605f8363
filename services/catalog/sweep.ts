import type { QueryFilter } from 'mongoose';
import type { Caller } from '../../shared/call.ts';
import { timestamp } from '../../shared/clock.ts';
import { Deadline } from '../../shared/deadline.ts';
import type { CatalogStore } from './catalog-store.ts';
import { finishDeletion, purge } from './finish-deletion.ts';
import { carryOut } from './finish-slot-update.ts';
import { openService } from './open-service.ts';
import type { ServiceDocument } from './service.model.ts';
import { settleCreation } from './settle-creation.ts';
import type { SlotDocument } from './slot.model.ts';
import type { SlotUpdateDocument } from './slot-update.model.ts';

/** ms after which a creation without a service is settled: no request lives as long, so this spares the living. */
const CREATION_AGE = 60_000;
/** ms after which a deletion is finished by the sweep: until then its own request may be at work. */
const DELETION_AGE = 15_000;
/** Of each kind in one sweep; what is left over is the next one's. */
const MOST = 200;

/**
 * Finishes what dead processes left. Each part is safe beside living requests and other sweeps; the ages only keep it
 * from doing their work twice.
 * @throws AggregateError with what could not be finished, after everything else was
 */
export async function sweep(store: CatalogStore, caller: Caller, signal?: AbortSignal): Promise<void> {
	const faults: unknown[] = [];
	const each = async <T>(found: T[], finish: (one: T) => Promise<unknown>) => {
		for (const one of found) {
			if (signal?.aborted || faults.length > 2) return; // the store or booking is away: the next sweep goes on
			await finish(one).catch((error: unknown) => faults.push(error));
		}
	};
	await each(await committedSlotUpdates(store), (update) => carryOut(store, update));
	await each(await unfinished(store, { unfinished: 'opening' }), (service) => openService(store, service));
	await each(await leftCreations(store), ({ account_id, service_id }) =>
		settleCreation(store, account_id, service_id, new Deadline(2_000)),
	);
	const before = timestamp(store.clock.now() - DELETION_AGE);
	await each(await unfinished(store, { unfinished: 'deleting', deleted_at: { $lt: before } }), (service) =>
		finishDeletion(store, service, { caller }),
	);
	await each(await unfinished(store, { unfinished: 'purging' }), (service) => purge(store, service));
	const due = { unfinished: '' as const, remove_at: { $gt: 0, $lte: store.clock.now() } };
	await each(await unfinished(store, due), ({ _id, account_id }) => store.services.deleteOne({ _id, account_id }));
	if (faults.length > 0) throw new AggregateError(faults, 'not everything could be finished');
}

/** At the start of a process: what readers of single slots would not notice. */
export async function recover(store: CatalogStore): Promise<void> {
	for (const update of await committedSlotUpdates(store)) await carryOut(store, update);
	for (const service of await unfinished(store, { unfinished: 'opening' })) await openService(store, service);
}

function committedSlotUpdates(store: CatalogStore): Promise<SlotUpdateDocument[]> {
	return store.slotUpdates
		.find({ open_since: { $gt: 0 } })
		.setOptions({ everyAccount: true })
		.limit(MOST)
		.lean<SlotUpdateDocument[]>();
}

function unfinished(store: CatalogStore, filter: QueryFilter<ServiceDocument>): Promise<ServiceDocument[]> {
	return store.services.find(filter).setOptions({ everyAccount: true }).limit(MOST).lean<ServiceDocument[]>();
}

/** One slot of each creation whose slots are still new after a while. */
async function leftCreations(store: CatalogStore): Promise<SlotDocument[]> {
	const slots = await store.slots
		.find({ state: 'new', created_at: { $lt: timestamp(store.clock.now() - CREATION_AGE) } })
		.setOptions({ everyAccount: true })
		.limit(5 * MOST)
		.lean<SlotDocument[]>();
	return [...new Map(slots.map((slot) => [slot.service_id, slot])).values()];
}
