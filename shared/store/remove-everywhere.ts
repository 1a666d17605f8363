import type { Model, QueryFilter } from 'mongoose';

/** Removed at a time */
const PIECE = 500;

/**
 * Removes the documents of every account that match, piece by piece. Any number of processes may do this at once.
 * @param signal ends it early
 * @returns how many were removed
 */
export async function removeEverywhere<T extends { _id: unknown }>(
	model: Model<T>,
	filter: QueryFilter<T>,
	signal?: AbortSignal,
): Promise<number> {
	for (let removed = 0; ; ) {
		const found = await model.find(filter, { _id: 1 }, { everyAccount: true }).limit(PIECE).lean<Pick<T, '_id'>[]>();
		if (found.length === 0 || signal?.aborted) return removed;
		const some = { ...filter, _id: { $in: found.map(({ _id }) => _id) } } as QueryFilter<T>;
		removed += (await model.deleteMany(some, { everyAccount: true })).deletedCount;
	}
}
