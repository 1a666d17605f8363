import type { Created, Idempotency } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { Service } from '../../../shared/contract/schemas/service.ts';
import { SKEW } from '../../../shared/engine/clock.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { filler, type ServiceDocument } from '../service.model.ts';
import { openService } from './open-service.ts';

/** ms that a first answer is kept: 24 h by every process' clock */
export const IDEMPOTENCY_TTL = 24 * 60 * 60 * 1000 + SKEW;

export function idempotencyKeyOf(account_id: string, key: string): string {
	return `${account_id}:service.create:${key}`;
}

/**
 * The first answer that was given under the key, if there is one, also after its service was changed or deleted.
 * @throws idempotency_key_reused where it was another request's
 */
export async function findFirstAnswer(
	store: CatalogStore,
	account_id: string,
	{ key, fingerprint }: Idempotency,
): Promise<Created<Service> | undefined> {
	const filter = { account_id, idempotency_key: idempotencyKeyOf(account_id, key) };
	const service = await store.services.findOne(filter).lean<ServiceDocument>();
	if (!service?.idempotency) return undefined;
	if (store.clock.now() - service.idempotency.at > IDEMPOTENCY_TTL) {
		const free = { idempotency_key: filler(service._id), idempotency: null };
		await store.services.updateOne({ ...filter, _id: service._id }, { $set: free });
		return undefined;
	}
	if (service.idempotency.fingerprint !== fingerprint) throw new ApiError('idempotency_key_reused');
	await openService(store, service);
	return { data: service.idempotency.answer, replayed: true };
}
