import type { Connection, Model } from 'mongoose';
import type { ServiceKey, SlotKey } from '../../shared/contract/actions.ts';
import { matchOwned } from '../../shared/engine/by-account.ts';
import type { Clock } from '../../shared/engine/clock.ts';
import { Gatherer } from '../../shared/engine/gatherer.ts';
import { Counter, type CounterRow, counterModel } from '../../shared/store/counter.ts';
import { findPlain } from '../../shared/store/find-plain.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { type SlotDocument, type SlotModel, slotModel } from './schedule/slot.model.ts';
import {
	type SlotUpdateDocument,
	type SlotUpdateModel,
	slotUpdateModel,
	withUpdate,
} from './schedule/slot-update.model.ts';
import { type ServiceDocument, type ServiceModel, serviceModel } from './service.model.ts';

/** The collections of this service; no other service reads them. Reads by id that arrive together share one statement. */
export class CatalogStore {
	readonly services: ServiceModel;
	readonly slots: SlotModel;
	readonly slotUpdates: SlotUpdateModel;
	readonly clock: Clock;
	readonly #counters: Model<CounterRow>;
	readonly #serviceIds: Counter;
	readonly #slotIds: Counter;
	readonly #servicesById: Gatherer<ServiceKey, ServiceDocument | null>;

	constructor(connection: Connection, clock: Clock) {
		this.services = serviceModel(connection);
		this.slots = slotModel(connection);
		this.slotUpdates = slotUpdateModel(connection);
		this.clock = clock;
		this.#counters = counterModel(connection, 'catalog_counters');
		this.#serviceIds = new Counter(this.#counters, 'services');
		this.#slotIds = new Counter(this.#counters, 'time_slots');
		this.#servicesById = new Gatherer((keys) => this.#findServices(keys));
	}

	/** Collections and indexes, verified: to be awaited before any traffic (promise L9). */
	prepare(): Promise<void> {
		return prepareModels([this.services, this.slots, this.slotUpdates, this.#counters]);
	}

	nextServiceId(): Promise<number> {
		return this.#serviceIds.nextIds(1);
	}

	/** @returns the first of `count` consecutive ids */
	nextSlotIds(count: number): Promise<number> {
		return this.#slotIds.nextIds(count);
	}

	/** The service as it is now, a deleted one too; null where there is none or where it is another account's. */
	findService(account_id: string, service_id: number): Promise<ServiceDocument | null> {
		return this.#servicesById.ask({ account_id, service_id });
	}

	/**
	 * Slots as they are now, in the order asked: those of a call, which booking has gathered already. Null where there is
	 * none, where it is not active, or where it is another account's.
	 */
	async findSlots(keys: SlotKey[]): Promise<(SlotDocument | null)[]> {
		let slots = await this.#readSlots(keys);
		const marked = slots.filter((slot) => slot.in_update);
		if (marked.length > 0) {
			// In this order: what was committed before the updates are read is either in them or in the slots.
			const updates = await this.#findSlotUpdates(unique(marked.map((slot) => slot.account_id)));
			slots = updates.reduce(withUpdate, await this.#readSlots(keys));
		}
		const idOf = (key: SlotKey) => key.time_slot_id;
		return matchOwned(keys, idOf, slots, (slot) => slot._id);
	}

	/** The account's bulk updates as they are now; null where it never had one. */
	async findSlotUpdate(account_id: string): Promise<SlotUpdateDocument | null> {
		return (await this.#findSlotUpdates([account_id]))[0] ?? null;
	}

	#findSlotUpdates(account_ids: string[]): Promise<SlotUpdateDocument[]> {
		return findPlain(this.slotUpdates, { _id: { $in: account_ids }, account_id: { $in: account_ids } });
	}

	#readSlots(keys: SlotKey[]): Promise<SlotDocument[]> {
		return findPlain(this.slots, {
			_id: { $in: unique(keys.map((key) => key.time_slot_id)) },
			account_id: { $in: unique(keys.map((key) => key.account_id)) },
			state: 'active',
		});
	}

	async #findServices(keys: ServiceKey[]): Promise<(ServiceDocument | null)[]> {
		const filter = {
			_id: { $in: unique(keys.map((key) => key.service_id)) },
			account_id: { $in: unique(keys.map((key) => key.account_id)) },
		};
		const found = await findPlain(this.services, filter);
		const idOf = (key: ServiceKey) => key.service_id;
		return matchOwned(keys, idOf, found, (service) => service._id);
	}
}

function unique<T>(values: T[]): T[] {
	return values.length === 1 ? values : [...new Set(values)];
}
