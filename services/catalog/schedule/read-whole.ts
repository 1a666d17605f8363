import type { CatalogStore } from '../catalog-store.ts';
import { openService } from '../creation/open-service.ts';
import { findService } from '../read-services.ts';
import type { ServiceDocument } from '../service.model.ts';
import { type SlotDocument, type SlotUpdateDocument, withUpdate } from './slot.model.ts';
import type { Part } from './slot-store.ts';

/** What was committed at one moment. */
interface Moment {
	update: SlotUpdateDocument | null;
	service: ServiceDocument | undefined;
	/** Another one where anything that changes several slots at once was committed in between */
	cut: string;
}

interface Whole {
	slots: SlotDocument[];
	/** The service as it was then; undefined where the account was asked for */
	service: ServiceDocument | undefined;
	/** Answers of the same cut are of one moment. */
	cut: string;
}

/**
 * Reads slots as they were at one moment, though a bulk update changes them one by one and the store reads them one by
 * one. What was committed is looked at before and after; where it is the same, only the one update that was open before
 * can have been carried out meanwhile, and it is applied to what was read. Otherwise the slots are read again.
 *
 * @param read slots of this part; which ones may not depend on what a bulk update changes
 * @throws service_not_found
 */
export async function readWhole(store: CatalogStore, part: Part, read: () => Promise<SlotDocument[]>): Promise<Whole> {
	for (let before = await momentOf(store, part); ; ) {
		const slots = await read();
		const after = await momentOf(store, part);
		if (after.cut === before.cut) {
			return { slots: withUpdate(slots, before.update), service: after.service, cut: after.cut };
		}
		before = after;
	}
}

async function momentOf(store: CatalogStore, { account_id, service_id }: Part): Promise<Moment> {
	const [update, service, halves] = await Promise.all([
		store.slots.latestUpdate(account_id),
		service_id === undefined ? undefined : findService(store, account_id, service_id),
		service_id === undefined ? finishHalves(store, account_id) : [],
	]);
	return { update, service, cut: [update?.sequence ?? 0, service?.version ?? 0, ...halves].join('.') };
}

/**
 * A list of all the account's slots shows those of a service all or not at all. So what a creation or a deletion has not
 * yet come to is done here. A creation or a deletion that came and was done between two looks shows in the number of
 * services. They are counted first, for whatever is counted is then finished here, or was finished before. (A deletion
 * shows as a bulk update, too.)
 * @returns the number of services, and the ids of those that were finished here
 */
async function finishHalves(store: CatalogStore, account_id: string): Promise<number[]> {
	const count = await store.services.count(account_id);
	const services = await store.services.halfDone(account_id);
	await Promise.all(
		services.map((service) =>
			service.unfinished === 'opening' ? openService(store, service) : store.slots.retire(service),
		),
	);
	return [count, ...services.map(({ _id }) => _id)];
}
