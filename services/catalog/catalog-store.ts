import type { Connection, Model } from 'mongoose';
import type { Clock } from '../../shared/engine/clock.ts';
import { Counter, counterModel } from '../../shared/store/counter.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { isUnavailable } from '../../shared/store/write-errors.ts';
import { withoutDeadline } from '../../shared/work/deadline.ts';
import { FeedStore } from './feeds/feed-store.ts';
import { RemovalStore } from './removal-store.ts';
import { OverrideStore } from './schedule/override-store.ts';
import { ReplacementStore } from './schedule/replacement-store.ts';
import { SlotStore } from './schedule/slot-store.ts';
import { ServiceStore } from './service-store.ts';

/** The collections of this service; no other service reads them. */
export class CatalogStore {
	readonly services: ServiceStore;
	readonly slots: SlotStore;
	readonly overrides: OverrideStore;
	readonly replacements: ReplacementStore;
	readonly feeds: FeedStore;
	readonly removals: RemovalStore;
	readonly clock: Clock;
	// biome-ignore lint/suspicious/noExplicitAny: models of several documents
	readonly #models: Model<any>[];

	constructor(connection: Connection, clock: Clock) {
		const counters = counterModel(connection, 'catalog_counters');
		this.services = new ServiceStore(connection, new Counter(counters, 'services'));
		this.slots = new SlotStore(connection, new Counter(counters, 'time_slots'));
		this.overrides = new OverrideStore(this.services.model, new Counter(counters, 'date_overrides'));
		this.replacements = new ReplacementStore(this.services.model, this.slots.updates);
		this.feeds = new FeedStore(connection, new Counter(counters, 'calendar_feeds'));
		this.removals = new RemovalStore(connection);
		this.clock = clock;
		const { services, slots, feeds, removals } = this;
		this.#models = [services.model, slots.model, slots.updates, feeds.model, removals.model, counters];
	}

	/** Collections and indexes, verified: to be awaited before any traffic (promise L9). */
	prepare(): Promise<void> {
		return prepareModels(this.#models);
	}
}

/** Does what may as well be done later, whatever time is left. Where the store is away, the sweep does it. */
export async function unlessAway(work: () => Promise<void>): Promise<void> {
	try {
		await withoutDeadline(work);
	} catch (error) {
		if (!isUnavailable(error)) throw error;
	}
}
