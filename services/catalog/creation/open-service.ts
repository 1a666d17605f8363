import { retryDeadlock } from '../../../shared/store/write-errors.ts';
import { withoutDeadline } from '../../../shared/work/deadline.ts';
import type { CatalogStore } from '../catalog-store.ts';
import type { ServiceDocument } from '../service.model.ts';

/**
 * The last step of a creation, by its creator or by whoever meets the service before that: its slots become active, all
 * that are still new. Slots never go back, so a late one revives nothing of a service that was deleted meanwhile.
 */
export async function openService(store: CatalogStore, service: ServiceDocument): Promise<void> {
	if (service.unfinished !== 'opening') return;
	const { _id, account_id } = service;
	await withoutDeadline(async () => {
		await retryDeadlock(() =>
			store.slots.updateMany({ account_id, service_id: _id, state: 'new' }, { $set: { state: 'active' } }),
		);
		await store.services.updateOne({ _id, account_id, unfinished: 'opening' }, { $set: { unfinished: '' } });
	});
}
