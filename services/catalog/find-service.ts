import { ApiError } from '../../shared/contract/errors.ts';
import type { CatalogStore } from './catalog-store.ts';
import { openService } from './creation/open-service.ts';
import type { ServiceDocument } from './service.model.ts';

/**
 * The service as it is now, with its slots active.
 * @throws service_not_found, also where it is deleted or another account's
 */
export async function findService(
	store: CatalogStore,
	account_id: string,
	service_id: number,
): Promise<ServiceDocument> {
	const service = await store.findService(account_id, service_id);
	if (!service || service.deleted_at !== null) throw new ApiError('service_not_found');
	await openService(store, service);
	return service;
}
