import { type Deadline, withoutDeadline } from '../../../shared/work/deadline.ts';
import type { CatalogStore } from '../catalog-store.ts';
import type { ServiceDocument } from '../service.model.ts';

/**
 * The last step of a creation: the service's slots become active, all that are still new. The creator takes it, or whoever
 * meets the service before that. Slots never go back, so a late one revives nothing of a service that was deleted meanwhile.
 */
export async function openService(store: CatalogStore, service: ServiceDocument): Promise<void> {
	if (service.unfinished !== 'opening') return;
	await withoutDeadline(async () => {
		await store.slots.activate(service);
		await store.services.done(service, 'opening');
	});
}

/**
 * Ends what a creator left behind. Where its service is there, all its slots are, and they become active. Where it is
 * not, a fence first makes sure that it will not come, however slow the creator is; then the slots are removed.
 */
export async function settleCreation(
	store: CatalogStore,
	account_id: string,
	service_id: number,
	deadline: Deadline,
): Promise<void> {
	const left = await store.slots.newOnes({ account_id, service_id }); // before: those of a schedule's replacement come behind it
	let service = await store.services.find(account_id, service_id);
	if (!service) {
		const fenced = await store.services.fence(account_id, service_id, store.clock.now(), deadline);
		if (fenced === 'unknown') return;
		service = await store.services.find(account_id, service_id);
		if (!service) return; // not visible yet: the next sweep
	}
	if (service.unfinished === 'opening') await openService(store, service);
	else if (service.unfinished === '') await store.slots.removeNew(account_id, left);
}
