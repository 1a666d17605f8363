import { LRUCache } from 'lru-cache';
import type { Model, QueryFilter } from 'mongoose';
import type { AccountKey } from '../contract/actions/common.ts';
import { SharedReads } from '../engine/shared-reads.ts';
import { Reading, SharedReading } from '../work/reading.ts';
import { assertScoped } from './account-scope.ts';

/** Up to here a total is exact (contract §2). */
export const EXACT_UP_TO = 10_000;
const MAX_AGE = 1_000; // ms

interface Total {
	/** Monotonic ms at which counting began: the total is as old as this */
	since: number;
	count: Promise<number>;
	/** What `count` came to; 0 until then */
	value: number;
	/** Of those who wait for it: it ends with the last one */
	readonly reading: SharedReading;
}

const totals = new WeakMap<object, LRUCache<AccountKey, Total>>();
const counts = new WeakMap<object, SharedReads<number>>();

/**
 * The total of a list: exact up to 10,000, and counted once for all who ask in the same turn of the event loop; above
 * that, counted again at most once a second per `cacheKey`, shared by all who ask meanwhile.
 *
 * @param cacheKey names the filter among the filters of this model
 * @param hint name of the index that is to be used; undefined: the best one
 */
export async function boundedCount<T>(
	model: Model<T>,
	filter: QueryFilter<T>,
	cacheKey: AccountKey,
	hint?: string,
): Promise<number> {
	const recent = recentTotal(model, cacheKey);
	// So far above the limit it is not below it within a second, and even counting up to the limit can be spared.
	if (recent && recent.value > 2 * EXACT_UP_TO) return recent.count;
	const upToLimit = await sharedCounts(model).ask(cacheKey, () => {
		return countPlain(model, filter, hint, EXACT_UP_TO + 1);
	});
	if (upToLimit <= EXACT_UP_TO) return upToLimit;
	return joined(recentTotal(model, cacheKey) ?? recount(model, filter, cacheKey, hint));
}

/** Whoever waits for a total that is being counted keeps it going. */
function joined(total: Total): Promise<number> {
	if (total.value === 0) total.reading.join(Reading.current());
	return total.count;
}

/** Past mongoose, which costs a count of a few entries more than the store does; see `findPlain`. */
async function countPlain<T>(
	{ collection }: Model<T>,
	filter: QueryFilter<T>,
	hint: string | undefined,
	limit?: number,
): Promise<number> {
	assertScoped(filter, `${collection.name}.countDocuments`);
	const options = { ...(hint !== undefined && { hint }), ...(limit !== undefined && { limit }) };
	return collection.countDocuments(filter as object, options);
}

function sharedCounts(model: object): SharedReads<number> {
	let shared = counts.get(model);
	if (shared === undefined) {
		shared = new SharedReads();
		counts.set(model, shared);
	}
	return shared;
}

function recentTotal(model: object, cacheKey: AccountKey): Total | undefined {
	const total = totals.get(model)?.get(cacheKey);
	if (total === undefined || performance.now() - total.since >= MAX_AGE) return undefined;
	return total.value > 0 || total.reading.remaining() > 0 ? total : undefined; // not one that was given up
}

function recount<T>(model: Model<T>, filter: QueryFilter<T>, cacheKey: AccountKey, hint: string | undefined): Total {
	const ofModel = totals.get(model) ?? new LRUCache<AccountKey, Total>({ max: 1_000 });
	const reading = new SharedReading([Reading.current()]);
	const count = reading.runWhole(() => countPlain(model, filter, hint));
	const total: Total = { since: performance.now(), count, value: 0, reading };
	total.count.then(
		(value) => {
			total.value = value;
		},
		() => ofModel.get(cacheKey) === total && ofModel.delete(cacheKey),
	);
	totals.set(model, ofModel);
	ofModel.set(cacheKey, total);
	return total;
}
