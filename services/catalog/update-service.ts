import type { Params } from '../../shared/contract/actions.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import type { Catalog, Request } from './catalog.ts';
import { findService } from './find-service.ts';
import { showServices } from './show-services.ts';
import { assertUpdatable } from './validate-service.ts';

/**
 * Changes what is given and different.
 * @throws service_not_found, version_mismatch, version_conflict, invalid_request
 */
export async function updateService(
	catalog: Catalog,
	params: Params<'catalog.updateService'>,
	request: Request,
): Promise<Service> {
	const { account_id, service_id, body } = params;
	assertUpdatable(body);
	await findService(catalog.store, account_id, service_id);
	const show = await showServices(catalog, account_id, [service_id]); // before the change: it may fail
	return show(await catalog.updates.run(params, request.deadline));
}
