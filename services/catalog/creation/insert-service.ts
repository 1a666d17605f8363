import { setTimeout as delay } from 'node:timers/promises';
import { accountKey } from '../../../shared/contract/actions/common.ts';
import { randomIndex } from '../../../shared/engine/ids.ts';
import type { Deadline } from '../../../shared/work/deadline.ts';
import type { Catalog } from '../catalog.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { allotment, filler, type ServiceDocument, withoutLimit } from '../service.model.ts';

/**
 * What became of an insert.
 * - `inserted`
 * - `full`: the plan has no allotment left
 * - `answered`: there is a service with its Idempotency-Key
 * - `fenced`: it is not there and will not come
 * - `unknown`: it may be there, or still come
 */
export type Insertion = 'inserted' | 'full' | 'answered' | 'fenced' | 'unknown';

/**
 * Inserts the service with an allotment of its own: the commit of a creation.
 * @param limit services of the plan; null: none
 * @throws gateway_timeout where no time is left; then nothing was written
 */
export function insertService(
	catalog: Catalog,
	service: ServiceDocument,
	limit: number | null,
	deadline: Deadline,
): Promise<Insertion> {
	const insert = () => insertWithAllotment(catalog.store, service, limit, deadline);
	return limit === null ? insert() : catalog.allotting.run(accountKey(service), insert);
}

/** A duplicate key only says: read again, and decide from what is there. All attempts keep the id. */
async function insertWithAllotment(
	store: CatalogStore,
	service: ServiceDocument,
	limit: number | null,
	deadline: Deadline,
): Promise<Insertion> {
	for (;;) {
		const place = await chooseAllotment(store, service, limit);
		if (place === null) return 'full';
		deadline.assertTimeLeft();
		const insertion = await insertOnce(store, { ...service, place }, deadline);
		if (insertion !== 'taken') return insertion;
		if (await isAnswered(store, service)) return 'answered';
		await delay(Math.random() * 5); // what took the allotment may not be visible yet
	}
}

/**
 * An allotment for a new service. With `held` services, it is one of the first `limit - held` free numbers below the limit.
 * (Any free number would pass a limit that was lowered, for higher numbers stay held.) The unique index lets one service
 * have it, so the limit holds whatever runs at once. It is chosen at random, because others choose as well.
 *
 * @param limit services of the plan; null: none
 * @returns null where the limit is reached
 */
export async function chooseAllotment(
	store: CatalogStore,
	{ _id, account_id }: ServiceDocument,
	limit: number | null,
): Promise<string | null> {
	if (limit === null) return withoutLimit(account_id, _id);
	if (limit === 0) return null;
	const held = new Set(await store.services.heldAllotments(account_id, limit));
	const open = limit - held.size;
	if (open === 0) return null;
	const free: string[] = [];
	for (let number = 0; free.length < open; number++) {
		const unit = allotment(account_id, number);
		if (!held.has(unit)) free.push(unit);
	}
	return free[randomIndex(free.length)]!;
}

async function insertOnce(
	{ services, clock }: CatalogStore,
	service: ServiceDocument,
	deadline: Deadline,
): Promise<'inserted' | 'taken' | 'fenced' | 'unknown'> {
	const insertion = await services.insert(service);
	if (insertion === 'inserted') return 'inserted';
	if (insertion === 'taken') return (await services.holderOfId(service)) ?? 'taken';
	const fenced = await services.fence(service.account_id, service._id, clock.now(), deadline);
	if (fenced !== 'there') return fenced;
	return (await services.holderOfId(service)) ?? 'unknown';
}

async function isAnswered(
	{ services }: CatalogStore,
	{ _id, account_id, idempotency_key }: ServiceDocument,
): Promise<boolean> {
	if (idempotency_key === filler(_id)) return false;
	return (await services.findByKey(account_id, idempotency_key)) !== null;
}
