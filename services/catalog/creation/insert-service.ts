import { setTimeout as delay } from 'node:timers/promises';
import { accountKey } from '../../../shared/contract/account-key.ts';
import { randomIndex } from '../../../shared/engine/ids.ts';
import { isUnavailable } from '../../../shared/store/write-errors.ts';
import { type Deadline, withoutDeadline } from '../../../shared/work/deadline.ts';
import type { Catalog } from '../catalog.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { allotment, fence, filler, type ServiceDocument, withoutLimit } from '../service.model.ts';

const RETRY_EVERY = 100; // ms

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
	store: CatalogStore,
	service: ServiceDocument,
	deadline: Deadline,
): Promise<'inserted' | 'taken' | 'fenced' | 'unknown'> {
	const insertion = await store.services.insert(service);
	if (insertion === 'inserted') return insertion;
	if (insertion === 'taken') return (await holderOfId(store, service)) ?? 'taken';
	const fenced = await fenceCreation(store, service.account_id, service._id, deadline);
	if (fenced !== 'there') return fenced;
	return (await holderOfId(store, service)) ?? 'unknown';
}

/** What has the id: this creation's service, or a fence. `unknown`: the store cannot be asked. */
async function holderOfId(
	store: CatalogStore,
	service: ServiceDocument,
): Promise<'inserted' | 'fenced' | 'unknown' | undefined> {
	try {
		const there = await store.services.writeIdOf(service);
		if (there === null) return undefined;
		return there === service.write_id ? 'inserted' : 'fenced';
	} catch (error) {
		if (!isUnavailable(error)) throw error;
		return 'unknown';
	}
}

async function isAnswered(
	store: CatalogStore,
	{ _id, account_id, idempotency_key }: ServiceDocument,
): Promise<boolean> {
	if (idempotency_key === filler(_id)) return false;
	return (await store.services.findByKey(account_id, idempotency_key)) !== null;
}

/**
 * Makes sure that a service which is not there will not come any more: a tombstone takes its id, and a late insert meets
 * a duplicate `_id`.
 * @returns `there`: the id is taken, by the service or by somebody else's fence · `fenced` · `unknown`: the store did not
 *   answer before the deadline
 */
export async function fenceCreation(
	store: CatalogStore,
	account_id: string,
	service_id: number,
	deadline: Deadline,
): Promise<'there' | 'fenced' | 'unknown'> {
	while (deadline.remaining() > 0) {
		try {
			const tombstone = fence(account_id, service_id, store.clock.now());
			const insertion = await withoutDeadline(() => store.services.insert(tombstone));
			if (insertion === 'inserted') return 'fenced';
			if (insertion === 'taken') return 'there';
		} catch (error) {
			if (!isUnavailable(error)) throw error;
			await delay(RETRY_EVERY);
		}
	}
	return 'unknown';
}
