import type { Params } from '../../shared/actions.ts';
import type { Service, UpdateService } from '../../shared/api/service.ts';
import { timestamp } from '../../shared/clock.ts';
import { assertVersion } from '../../shared/version.ts';
import type { Catalog, Request } from './catalog.ts';
import { findService } from './find-service.ts';
import type { ServiceDocument } from './service.model.ts';
import { showServices } from './show-services.ts';
import { assertUpdatable } from './validate-service.ts';

type UpdateParams = Params<'catalog.updateService'>;

/**
 * Changes what is given and different. Changes of one service queue in their process; those of other processes are told
 * by the version, and then the change is decided again.
 * @throws service_not_found, version_mismatch, version_conflict, invalid_request
 */
export async function updateService(catalog: Catalog, params: UpdateParams, request: Request): Promise<Service> {
	const { account_id, service_id, body } = params;
	assertUpdatable(body);
	await findService(catalog.store, account_id, service_id);
	const show = await showServices(catalog, request, account_id, [service_id]); // before the change: it may fail
	return show(await catalog.changes.run(service_id, () => change(catalog, params, request)));
}

async function change({ store }: Catalog, params: UpdateParams, { deadline }: Request): Promise<ServiceDocument> {
	const { account_id, service_id, body, if_match } = params;
	for (;;) {
		const service = await findService(store, account_id, service_id);
		assertVersion(service.version, if_match, body.version);
		const changed = differences(service, body);
		if (Object.keys(changed).length === 0) return service;
		deadline.assertTimeLeft();
		const set = { ...changed, version: service.version + 1, updated_at: timestamp(store.clock.now()) };
		const { matchedCount } = await store.services.updateOne(
			{ _id: service_id, account_id, version: service.version, deleted_at: null },
			{ $set: set },
		);
		if (matchedCount === 1) return { ...service, ...set };
	}
}

function differences(
	service: ServiceDocument,
	{ name, description, timezone }: UpdateService,
): Partial<Pick<ServiceDocument, 'name' | 'description' | 'timezone'>> {
	return {
		...(name !== undefined && name !== service.name ? { name } : {}),
		...(description !== undefined && description !== service.description ? { description } : {}),
		...(timezone !== undefined && timezone !== service.timezone ? { timezone } : {}),
	};
}
