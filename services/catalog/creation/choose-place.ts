import { randomIndex } from '../../../shared/engine/ids.ts';
import type { CatalogStore } from '../catalog-store.ts';

/**
 * A place for a new service of the account, as with seats: with `held` services, one of the first `limit - held` free
 * numbers below the limit. (Any free number would pass a limit that was lowered, for higher places stay held.) The unique
 * index lets one service have it, so the limit holds whatever runs at once. At random, for others choose as well.
 *
 * @param limit services of the plan; null: none, the service's own id is its place
 * @returns null where the limit is reached
 */
export async function choosePlace(
	store: CatalogStore,
	account_id: string,
	limit: number | null,
	service_id: number,
): Promise<string | null> {
	if (limit === null) return `${account_id}:id${service_id}`;
	if (limit === 0) return null;
	const held = await store.services
		.find({ account_id, deleted_at: null })
		.select({ place: 1 })
		.limit(limit)
		.lean<{ place: string }[]>();
	const open = limit - held.length;
	if (open === 0) return null;
	const taken = new Set(held.map(({ place }) => place));
	const free: string[] = [];
	for (let number = 0; free.length < open; number++) {
		const place = `${account_id}:${number}`;
		if (!taken.has(place)) free.push(place);
	}
	return free[randomIndex(free.length)]!;
}
