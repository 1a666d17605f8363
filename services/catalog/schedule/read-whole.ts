import type { CatalogStore } from '../catalog-store.ts';
import { countServices } from '../count-services.ts';
import { openService } from '../creation/open-service.ts';
import { retire } from '../deletion/finish-deletion.ts';
import { findService } from '../find-service.ts';
import type { ServiceDocument } from '../service.model.ts';
import type { SlotDocument } from './slot.model.ts';
import { type SlotUpdateDocument, withUpdate } from './slot-update.model.ts';

/** Of the account, or of one of its services */
interface Part {
	account_id: string;
	service_id?: number | undefined;
}

/** What decides how slots are to be read, at one moment. */
interface Moment {
	update: SlotUpdateDocument | null;
	service: ServiceDocument | undefined;
	/** Differs where anything was committed in between that changes several slots at once */
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
 * can have been carried out meanwhile, and it is applied to what was read. Else the slots are read again.
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
		store.findSlotUpdate(account_id),
		service_id === undefined ? undefined : findService(store, account_id, service_id),
		service_id === undefined ? finishHalves(store, account_id) : [],
	]);
	return { update, service, cut: [update?.sequence ?? 0, service?.version ?? 0, ...halves].join('.') };
}

/**
 * A list of all the account's slots shows those of a service all or not at all. So what a creation or a deletion has
 * not yet come to is done here. One that came and was done between two looks shows in the number of services: counted
 * first, for whatever is counted is then finished here, or was before. (A deletion beside it is a bulk update, too.)
 * @returns the number of services, and the ids of these
 */
async function finishHalves(store: CatalogStore, account_id: string): Promise<number[]> {
	const count = await countServices(store, account_id);
	const services = await store.services
		.find({ account_id, unfinished: { $in: ['opening', 'deleting'] } })
		.sort({ _id: 1 })
		.lean<ServiceDocument[]>();
	await Promise.all(
		services.map((service) =>
			service.unfinished === 'opening' ? openService(store, service) : retire(store, service),
		),
	);
	return [count, ...services.map(({ _id }) => _id)];
}
