import type { CatalogStore } from './catalog-store.ts';
import { openService } from './creation/open-service.ts';
import { carryOutReplacement } from './schedule/carry-out-replacement.ts';
import type { ServiceDocument } from './service.model.ts';

/** Takes the last step of a service's creation, or of a replacement of its schedule: its slots are then as it says. */
export async function finishService(store: CatalogStore, service: ServiceDocument): Promise<void> {
	if (service.unfinished === 'opening') await openService(store, service);
	if (service.unfinished === 'replacing') await carryOutReplacement(store, { ...service, service_id: service._id });
}
