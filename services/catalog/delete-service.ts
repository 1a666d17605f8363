import { call } from '../../shared/bus/call.ts';
import type { Params } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { assertVersion } from '../../shared/contract/version.ts';
import { deleteOnce } from '../../shared/work/answered.ts';
import { withoutDeadline } from '../../shared/work/deadline.ts';
import type { Catalog, Request } from './catalog.ts';
import { type CatalogStore, unlessAway } from './catalog-store.ts';
import { toTimeSlot } from './schedule/slot.model.ts';
import { endSlotUpdates } from './schedule/update-slots.ts';
import { type ServiceDocument, serviceKey } from './service.model.ts';

type DeleteParams = Params<'catalog.deleteService'>;

/**
 * Deletes a service with its slots and bookings. Marking its document is the commit: from there on the service is gone for
 * readers, and its allotment is free. The rest (`finishDeletion`) is done before the answer, or by a repeated DELETE, or
 * by the sweep. Until it is noted that an answer was sent, a repeated DELETE is answered `ok`, too.
 * @throws service_not_found, version_mismatch; service_unavailable or gateway_timeout where booking did not acknowledge
 */
export async function deleteService(catalog: Catalog, params: DeleteParams, request: Request): Promise<'ok'> {
	const { account_id, service_id: _id } = params;
	const remove = () => removeService(catalog, params, request);
	const isUnanswered = () => catalog.store.services.isUnanswered({ _id, account_id });
	return deleteOnce('service_not_found', request.deadline, remove, isUnanswered);
}

function removeService({ store, changes }: Catalog, params: DeleteParams, request: Request): Promise<void> {
	return changes.run(serviceKey(params), async () => {
		for (;;) {
			const service = await store.services.find(params.account_id, params.service_id);
			if (!service) throw new ApiError('service_not_found');
			if (service.deleted_at === null) {
				assertVersion(service.version, params.if_match, undefined);
				request.deadline.assertTimeLeft();
				if (!(await store.services.delete(service, store.clock.now(), request.deadline))) continue;
			} else if (service.unfinished !== 'deleting') {
				throw new ApiError('service_not_found');
			}
			return finishDeletion(store, service, request);
		}
	});
}

/**
 * Does what is left once a service is marked as deleted. Its slots go, and from there on no bulk update is committed that
 * found them; booking closes the service and acknowledges it; that is noted; the documents of the slots are removed. Each
 * step may be repeated, and several processes may take it at once.
 *
 * @throws what booking answers where it does not acknowledge; then all is still to be done
 */
export function finishDeletion(
	store: CatalogStore,
	service: ServiceDocument,
	{ caller }: Pick<Request, 'caller'>,
): Promise<void> {
	return withoutDeadline(async () => {
		const { _id: service_id, account_id, timezone } = service;
		await store.slots.dismiss(service);
		await endSlotUpdates(store, account_id);
		const slots = (await store.slots.gone(service)).map(toTimeSlot); // for events of bookings of an earlier version
		await call(caller, 'booking.closeService', { account_id, service_id, slots, timezone });
		await store.services.done(service, 'deleting');
		await unlessAway(() => store.slots.remove(service, 'gone')); // a sweep removes the others: there may be many
	});
}

/** Removes the slots and the calendar feeds of a service that booking has closed. */
export async function purge(store: CatalogStore, service: ServiceDocument): Promise<void> {
	await store.slots.remove(service, 'gone', 'retired');
	await store.feeds.removeAll(service);
	await store.services.done(service, 'purging');
}
