import { setTimeout as delay } from 'node:timers/promises';
import { timestamp } from '../../../shared/engine/clock.ts';
import { isDuplicateKey, isUnavailable, mayStillLand } from '../../../shared/store/write-errors.ts';
import { type Deadline, withoutDeadline } from '../../../shared/work/deadline.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { filler, type ServiceDocument } from '../service.model.ts';

const RETRY_EVERY = 100; // ms

/** ms that a fence stays: far longer than a process can be stopped between two writes and then go on. */
const FENCE_TTL = 7 * 24 * 60 * 60 * 1000;

/**
 * Makes sure that a service which is not there will not come any more: a tombstone takes its id, and a late insert meets
 * a duplicate `_id`.
 * @returns `there`: the id is taken, by the service or by a fence of someone else · `fenced` · `unknown`: the store did not
 * answer until the deadline
 */
export async function fenceCreation(
	store: CatalogStore,
	account_id: string,
	service_id: number,
	deadline: Deadline,
): Promise<'there' | 'fenced' | 'unknown'> {
	while (deadline.remaining() > 0) {
		try {
			const fence = fenceOf(store, account_id, service_id);
			await withoutDeadline(() => store.services.insertMany([fence], { lean: true }));
			return 'fenced';
		} catch (error) {
			if (isDuplicateKey(error)) return 'there';
			if (!isUnavailable(error)) throw error;
			if (!mayStillLand(error)) await delay(RETRY_EVERY);
		}
	}
	return 'unknown';
}

function fenceOf(store: CatalogStore, account_id: string, service_id: number): ServiceDocument {
	const now = store.clock.now();
	const free = filler(service_id);
	return {
		_id: service_id,
		account_id,
		name: '',
		description: null,
		timezone: '',
		place: free,
		idempotency_key: free,
		idempotency: null,
		unfinished: '',
		version: 0,
		write_id: '',
		created_at: timestamp(now),
		updated_at: timestamp(now),
		deleted_at: timestamp(now),
		delete_answered: true,
		remove_at: now + FENCE_TTL,
	};
}
