import type { QueryFilter } from 'mongoose';
import type { Caller } from '../../shared/bus/call.ts';
import { Sightings } from '../../shared/engine/sightings.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import type { CatalogStore } from './catalog-store.ts';
import { openService } from './creation/open-service.ts';
import { settleCreation } from './creation/settle-creation.ts';
import { finishDeletion, purge } from './deletion/finish-deletion.ts';
import { carryOut } from './schedule/finish-slot-update.ts';
import type { SlotDocument } from './schedule/slot.model.ts';
import type { SlotUpdateDocument } from './schedule/slot-update.model.ts';
import type { ServiceDocument } from './service.model.ts';

/** ms for which this process has seen a creation or a deletion unfinished, until it counts as left: no request lives as long. */
const LEFT_AFTER = 15_000;
/** Of each kind in one sweep; what is left over is the next one's. */
const MOST = 200;
/** New slots, of which a creation has up to 500, that are looked at for creations that were left */
const SLOTS = 25 * MOST;

type NewSlot = Pick<SlotDocument, '_id' | 'account_id' | 'service_id'>;

/**
 * Finishes what dead processes left. Each part is safe beside living requests and other sweeps; `LEFT_AFTER` only keeps
 * it from interrupting the living, and goes by no other process' clock.
 */
export class Sweep {
	readonly #store: CatalogStore;
	readonly #caller: Caller;
	readonly #creations: Sightings;
	readonly #deletions: Sightings;

	constructor(store: CatalogStore, caller: Caller) {
		this.#store = store;
		this.#caller = caller;
		this.#creations = new Sightings(store.clock);
		this.#deletions = new Sightings(store.clock);
	}

	/**
	 * One round.
	 * @throws AggregateError with what could not be finished, after everything else was
	 */
	async run(signal?: AbortSignal): Promise<void> {
		const store = this.#store;
		const faults: unknown[] = [];
		const each = async <T>(found: T[], finish: (one: T) => Promise<unknown>) => {
			for (const one of found) {
				if (signal?.aborted || faults.length > 2) return; // the store or booking is away: the next round goes on
				await finish(one).catch((error: unknown) => faults.push(error));
			}
		};
		await each(await committedSlotUpdates(store), (update) => carryOut(store, update));
		await each(await unfinished(store, { unfinished: 'opening' }), (service) => openService(store, service));
		await each(await this.#leftCreations(), ({ account_id, service_id }) =>
			settleCreation(store, account_id, service_id, new Deadline(2_000)),
		);
		await each(await this.#leftDeletions(), (service) => finishDeletion(store, service, { caller: this.#caller }));
		await each(await unfinished(store, { unfinished: 'purging' }), (service) => purge(store, service));
		const due = { unfinished: '' as const, remove_at: { $gt: 0, $lte: store.clock.now() } };
		await each(await unfinished(store, due), ({ _id, account_id }) => store.services.deleteOne({ _id, account_id }));
		if (faults.length > 0) throw new AggregateError(faults, 'not everything could be finished');
	}

	/** One slot of each creation whose slots are still new after a while. */
	async #leftCreations(): Promise<NewSlot[]> {
		const slots = await this.#store.slots
			.find({ state: 'new' })
			.sort({ created_at: 1 })
			.setOptions({ everyAccount: true })
			.limit(SLOTS)
			.select({ account_id: 1, service_id: 1 })
			.lean<NewSlot[]>();
		const byService = new Map(slots.map((slot) => [slot.service_id, slot]));
		const states = new Map([...byService.keys()].map((service_id) => [service_id, 'new']));
		return this.#creations.unchangedFor(LEFT_AFTER, states).map((service_id) => byService.get(service_id)!);
	}

	async #leftDeletions(): Promise<ServiceDocument[]> {
		const services = await unfinished(this.#store, { unfinished: 'deleting' });
		const byId = new Map(services.map((service) => [service._id, service]));
		const states = new Map(services.map(({ _id }) => [_id, 'deleting']));
		return this.#deletions.unchangedFor(LEFT_AFTER, states).map((id) => byId.get(id)!);
	}
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
