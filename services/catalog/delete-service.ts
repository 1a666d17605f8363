import type { Params } from '../../shared/actions.ts';
import { timestamp } from '../../shared/clock.ts';
import { ApiError } from '../../shared/errors.ts';
import { assertVersion } from '../../shared/version.ts';
import { type Catalog, type Request, serviceKey } from './catalog.ts';
import type { CatalogStore } from './catalog-store.ts';
import { finishDeletion } from './finish-deletion.ts';
import { finishSlotUpdate } from './finish-slot-update.ts';
import { IDEMPOTENCY_TTL } from './idempotency.ts';
import { filler, type ServiceDocument } from './service.model.ts';

type DeleteParams = Params<'catalog.deleteService'>;

/**
 * Deletes a service with its slots and bookings. The stamp is the commit: from there on the service is gone for readers
 * and its place in the plan is free; the rest is done before the answer, or by a repeated DELETE, or by the sweep.
 * @throws service_not_found, version_mismatch; service_unavailable or gateway_timeout where booking did not acknowledge
 */
export function deleteService(catalog: Catalog, params: DeleteParams, request: Request): Promise<'ok'> {
	return catalog.changes.run(serviceKey(params), async () => {
		for (;;) {
			const service = await catalog.store.findService(params.account_id, params.service_id);
			if (!service) throw new ApiError('service_not_found');
			if (service.deleted_at !== null) return repeat(catalog, service, request);
			assertVersion(service.version, params.if_match, undefined);
			await finishSlotUpdate(catalog.store, params.account_id);
			request.deadline.assertTimeLeft();
			if (await stamp(catalog.store, service)) {
				await finishDeletion(catalog.store, service, request, { answering: true });
				return 'ok';
			}
		}
	});
}

/**
 * Finishes a deletion that was not finished. One that the sweep finished, and that nobody was told of, is told once.
 * @throws service_not_found where it was deleted before
 */
async function repeat({ store }: Catalog, service: ServiceDocument, request: Request): Promise<'ok'> {
	const { _id, account_id } = service;
	if (service.unfinished === 'deleting') {
		await finishDeletion(store, service, request, { answering: true });
		return 'ok';
	}
	const untold = { _id, account_id, deleted_at: service.deleted_at, delete_answered: false };
	const { matchedCount } = await store.services.updateOne(untold, { $set: { delete_answered: true } });
	if (matchedCount === 0) throw new ApiError('service_not_found');
	return 'ok';
}

/** @returns false where the service changed since it was read */
async function stamp(store: CatalogStore, { _id, account_id, version }: ServiceDocument): Promise<boolean> {
	const now = store.clock.now();
	const { matchedCount } = await store.services.updateOne(
		{ _id, account_id, version, deleted_at: null },
		{
			$set: {
				deleted_at: timestamp(now),
				unfinished: 'deleting',
				place: filler(_id),
				remove_at: now + IDEMPOTENCY_TTL,
			},
		},
	);
	return matchedCount === 1;
}
