import { setTimeout as delay } from 'node:timers/promises';
import { accountKey } from '../../../shared/contract/account-key.ts';
import { isDuplicateKey, mayStillLand, retryDeadlock } from '../../../shared/store/write-errors.ts';
import type { Deadline } from '../../../shared/work/deadline.ts';
import type { Catalog } from '../catalog.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { filler, type ServiceDocument } from '../service.model.ts';
import { choosePlace } from './choose-place.ts';
import { fenceCreation } from './fence-creation.ts';

/**
 * What became of it: `inserted` · `full`: no place in the plan · `answered`: its Idempotency-Key has a service ·
 * `fenced`: it is not there and will not come · `unknown`
 */
export type Insertion = 'inserted' | 'full' | 'answered' | 'fenced' | 'unknown';

/**
 * Inserts the service with a place of its own: the commit of a creation.
 * @param limit services of the plan; null: none
 * @throws gateway_timeout where no time is left; then nothing was written
 */
export function insertService(
	catalog: Catalog,
	service: ServiceDocument,
	limit: number | null,
	deadline: Deadline,
): Promise<Insertion> {
	const insert = () => insertAtAPlace(catalog.store, service, limit, deadline);
	return limit === null ? insert() : catalog.placing.run(accountKey(service), insert);
}

/** A duplicate key only says: read again, and decide from what is there. All attempts keep the id. */
async function insertAtAPlace(
	store: CatalogStore,
	service: ServiceDocument,
	limit: number | null,
	deadline: Deadline,
): Promise<Insertion> {
	for (;;) {
		const place = await choosePlace(store, service.account_id, limit, service._id);
		if (place === null) return 'full';
		deadline.assertTimeLeft();
		const insertion = await insertOnce(store, { ...service, place }, deadline);
		if (insertion !== 'taken') return insertion;
		if (await isAnswered(store, service)) return 'answered';
		await delay(Math.random() * 5); // what took the place may not be visible yet
	}
}

async function insertOnce(
	store: CatalogStore,
	service: ServiceDocument,
	deadline: Deadline,
): Promise<Exclude<Insertion, 'full' | 'answered'> | 'taken'> {
	try {
		await retryDeadlock(() => store.services.insertMany([service], { lean: true }));
		return 'inserted';
	} catch (error) {
		if (isDuplicateKey(error)) return (await holderOfId(store, service)) ?? 'taken';
		if (!mayStillLand(error)) throw error;
		const fence = await fenceCreation(store, service.account_id, service._id, deadline);
		if (fence !== 'there') return fence;
		return (await holderOfId(store, service)) ?? 'unknown';
	}
}

/** Whose document has the id: this creation's, or a fence's. */
async function holderOfId(store: CatalogStore, service: ServiceDocument): Promise<'inserted' | 'fenced' | undefined> {
	const { _id, account_id } = service;
	const there = await store.services.findOne({ _id, account_id }).select({ write_id: 1 }).lean<{ write_id: string }>();
	if (!there) return undefined;
	return there.write_id === service.write_id ? 'inserted' : 'fenced';
}

async function isAnswered(
	store: CatalogStore,
	{ _id, account_id, idempotency_key }: ServiceDocument,
): Promise<boolean> {
	if (idempotency_key === filler(_id)) return false;
	return (await store.services.exists({ account_id, idempotency_key })) !== null;
}
