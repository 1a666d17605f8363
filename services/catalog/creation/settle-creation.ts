import type { Deadline } from '../../../shared/work/deadline.ts';
import type { CatalogStore } from '../catalog-store.ts';
import type { ServiceDocument } from '../service.model.ts';
import { fenceCreation } from './fence-creation.ts';
import { openService } from './open-service.ts';

/**
 * Ends what a creator left behind. Where its service is there, all its slots are, and they become active. Where it is
 * not, a fence first makes sure that it will not come, however slow the creator is; then the slots go.
 */
export async function settleCreation(
	store: CatalogStore,
	account_id: string,
	service_id: number,
	deadline: Deadline,
): Promise<void> {
	let service = await find(store, account_id, service_id);
	if (!service) {
		const fence = await fenceCreation(store, account_id, service_id, deadline);
		if (fence === 'unknown') return;
		service = await find(store, account_id, service_id);
		if (!service) return; // not visible yet: the next sweep
	}
	if (service.unfinished === 'opening') await openService(store, service);
	else if (service.unfinished === '') await store.slots.deleteMany({ account_id, service_id, state: 'new' });
}

function find(store: CatalogStore, account_id: string, service_id: number): Promise<ServiceDocument | null> {
	return store.services.findOne({ _id: service_id, account_id }).lean<ServiceDocument>();
}
