import type { ServiceKey } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { CatalogStore } from './catalog-store.ts';
import { findService } from './find-service.ts';

/** Whether each is a service of its account now, in the order asked; with its slots active where it is. */
export function areServices(store: CatalogStore, keys: ServiceKey[]): Promise<boolean[]> {
	return Promise.all(
		keys.map(({ account_id, service_id }) =>
			findService(store, account_id, service_id).then(
				() => true,
				(error) => {
					if (error instanceof ApiError && error.type === 'service_not_found') return false;
					throw error;
				},
			),
		),
	);
}
