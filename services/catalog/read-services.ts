import type { Params } from '../../shared/contract/actions.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import type { Catalog } from './catalog.ts';
import { findService } from './find-service.ts';
import { showServices } from './show-services.ts';

/** @throws service_not_found */
export async function getService(
	catalog: Catalog,
	{ account_id, service_id }: Params<'catalog.getService'>,
): Promise<Service> {
	const [service, show] = await Promise.all([
		findService(catalog.store, account_id, service_id),
		showServices(catalog, account_id, [service_id]),
	]);
	return show(service);
}
