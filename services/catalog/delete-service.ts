import { setTimeout as delay } from 'node:timers/promises';
import type { Params } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { assertVersion } from '../../shared/contract/version.ts';
import { timestamp } from '../../shared/engine/clock.ts';
import { isUnavailable, mayStillLand } from '../../shared/store/write-errors.ts';
import { wasAnswered } from '../../shared/work/answered.ts';
import type { Deadline } from '../../shared/work/deadline.ts';
import { type Catalog, type Request, serviceKey } from './catalog.ts';
import type { CatalogStore } from './catalog-store.ts';
import { IDEMPOTENCY_TTL } from './creation/idempotency.ts';
import { finishDeletion } from './deletion/finish-deletion.ts';
import { filler, type ServiceDocument } from './service.model.ts';

type DeleteParams = Params<'catalog.deleteService'>;

const RETRY_EVERY = 100; // ms

/**
 * Deletes a service with its slots and bookings. The stamp is the commit: from there on the service is gone for readers
 * and its place in the plan is free; the rest is done before the answer, or by a repeated DELETE, or by the sweep. Until
 * it is noted that an answer was sent, a repeated DELETE is answered `ok`, too.
 * @throws service_not_found, version_mismatch; service_unavailable or gateway_timeout where booking did not acknowledge
 */
export async function deleteService(catalog: Catalog, params: DeleteParams, request: Request): Promise<'ok'> {
	if ((await remove(catalog, params, request)) === 'by an earlier one') {
		const { account_id, service_id: _id } = params;
		const unanswered = { _id, account_id, delete_answered: false };
		const isUnanswered = async () => (await catalog.store.services.exists(unanswered)) !== null;
		if (await wasAnswered(request.deadline, isUnanswered)) throw new ApiError('service_not_found');
	}
	return 'ok';
}

/** Notes that a client was sent the `ok`: a DELETE after it finds nothing. */
export async function noteDeletionAnswered(
	{ services }: CatalogStore,
	{ account_id, service_id }: Params<'catalog.deletionAnswered'>,
): Promise<'ok'> {
	const deleted = { _id: service_id, account_id, deleted_at: { $ne: null } };
	await services.updateOne(deleted, { $set: { delete_answered: true } });
	return 'ok';
}

function remove(catalog: Catalog, params: DeleteParams, request: Request): Promise<'now' | 'by an earlier one'> {
	return catalog.changes.run(serviceKey(params), async () => {
		for (;;) {
			const service = await catalog.store.findService(params.account_id, params.service_id);
			if (!service) throw new ApiError('service_not_found');
			if (service.deleted_at !== null) {
				if (service.unfinished !== 'deleting') return 'by an earlier one';
				await finishDeletion(catalog.store, service, request);
				return 'now';
			}
			assertVersion(service.version, params.if_match, undefined);
			request.deadline.assertTimeLeft();
			if (await stamp(catalog.store, service, request.deadline)) {
				await finishDeletion(catalog.store, service, request);
				return 'now';
			}
		}
	});
}

/**
 * Where the answer is lost, the same write is repeated until one is answered: whichever of them lands, no other one does.
 * One that was left on its way could delete the service later, with bookings that were acknowledged meanwhile, for these
 * leave the service's version as it is.
 * @returns false where the service changed since it was read, by a try that was lost or by somebody else
 * @throws gateway_timeout where no try was answered in time
 */
async function stamp(
	store: CatalogStore,
	{ _id, account_id, version }: ServiceDocument,
	deadline: Deadline,
): Promise<boolean> {
	const now = store.clock.now();
	const filter = { _id, account_id, version, deleted_at: null };
	const $set = {
		deleted_at: timestamp(now),
		unfinished: 'deleting' as const,
		place: filler(_id),
		remove_at: now + IDEMPOTENCY_TTL,
	};
	for (let lost = false; ; await delay(RETRY_EVERY)) {
		deadline.assertTimeLeft();
		try {
			return (await store.services.updateOne(filter, { $set })).matchedCount === 1;
		} catch (error) {
			lost ||= mayStillLand(error);
			if (!lost || !isUnavailable(error)) throw error;
		}
	}
}
