import { type Caller, call } from '../../shared/bus/call.ts';
import { Sightings } from '../../shared/engine/sightings.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import type { CatalogStore } from './catalog-store.ts';
import { openService, settleCreation } from './creation/open-service.ts';
import { finishDeletion, purge } from './delete-service.ts';
import { finishService } from './finish-service.ts';
import type { NewSlot } from './schedule/slot-store.ts';
import { carryOut } from './schedule/update-slots.ts';
import type { ServiceDocument } from './service.model.ts';

/** ms; a creation or a deletion that this process has seen unfinished for so long was left: no request lives as long. */
const LEFT_AFTER = 15_000;
/** Of each kind in one sweep; the next sweep finishes the rest. */
const MOST = 200;
/** ms; what may still be booked into a slot that was retired has come by then, as all that a tombstone waits for has. */
const RETIRED_FOR = 60 * 60 * 1000;
/** Retired slots that are looked at together */
const RETIRED_AT_ONCE = 500;
/** New slots among which creations that were left are looked for; one creation has up to 500 of them. */
const SLOTS = 25 * MOST;

/**
 * Finishes what dead processes left. Each part is safe beside living requests and other sweeps. `LEFT_AFTER` only keeps it
 * from interrupting the living, and is measured by this process' clock alone.
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
		const { services, slots, feeds, clock } = store;
		const faults: unknown[] = [];
		const each = async <T>(found: T[], finish: (one: T) => Promise<unknown>) => {
			for (const one of found) {
				if (signal?.aborted || faults.length > 2) return; // the store or booking is away: the next round goes on
				await finish(one).catch((error: unknown) => faults.push(error));
			}
		};
		await each(await slots.committedUpdates(MOST), (update) => carryOut(store, update));
		await each(await services.unfinished('opening', MOST), (service) => openService(store, service));
		await each(await services.unfinished('replacing', MOST), (service) => finishService(store, service));
		await each(await this.#leftCreations(), ({ account_id, service_id }) =>
			settleCreation(store, account_id, service_id, new Deadline(2_000)),
		);
		await each(await this.#leftDeletions(), (service) => finishDeletion(store, service, { caller: this.#caller }));
		await each(await services.unfinished('purging', MOST), (service) => purge(store, service));
		await each(await services.expired(clock.now(), MOST), async (service) => {
			await feeds.removeAll(service); // one that was being made while the service was deleted
			await services.remove(service);
		});
		await this.#removeRetired(signal).catch((error: unknown) => faults.push(error));
		if (faults.length > 0) throw new AggregateError(faults, 'not everything could be finished');
	}

	/**
	 * Removes slots that were retired an hour ago and that no booking is of, cancelled ones included. One that has bookings is
	 * looked at again an hour later.
	 */
	async #removeRetired(signal?: AbortSignal): Promise<void> {
		const { slots, clock } = this.#store;
		for (;;) {
			const found = await slots.retiredUntil(clock.now() - RETIRED_FOR, RETIRED_AT_ONCE);
			const [first] = found;
			if (first === undefined || signal?.aborted) return;
			const { account_id, service_id } = first;
			const time_slot_ids = found.map(({ _id }) => _id);
			const booked = await call(this.#caller, 'booking.bookedSlots', { account_id, service_id, time_slot_ids });
			const free = time_slot_ids.filter((id) => !booked.includes(id));
			if (free.length > 0) await slots.removeRetired(account_id, free);
			if (booked.length > 0) await slots.keepRetired(account_id, booked, clock.now());
		}
	}

	/** One slot of each creation whose slots are still new after a while. */
	async #leftCreations(): Promise<NewSlot[]> {
		const slots = await this.#store.slots.leftNew(SLOTS);
		const byService = new Map(slots.map((slot) => [slot.service_id, slot]));
		const states = new Map([...byService.keys()].map((service_id) => [service_id, 'new']));
		return this.#creations.unchangedFor(LEFT_AFTER, states).map((service_id) => byService.get(service_id)!);
	}

	async #leftDeletions(): Promise<ServiceDocument[]> {
		const services = await this.#store.services.unfinished('deleting', MOST);
		const byId = new Map(services.map((service) => [service._id, service]));
		const states = new Map(services.map(({ _id }) => [_id, 'deleting']));
		return this.#deletions.unchangedFor(LEFT_AFTER, states).map((id) => byId.get(id)!);
	}
}

/** At the start of a process: finishes what those who read single slots would not notice. */
export async function recover(store: CatalogStore): Promise<void> {
	for (const update of await store.slots.committedUpdates(MOST)) await carryOut(store, update);
	for (const step of ['opening', 'replacing'] as const)
		for (const service of await store.services.unfinished(step, MOST)) await finishService(store, service);
}
