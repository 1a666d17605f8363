import { LRUCache } from 'lru-cache';
import type { Model, QueryFilter } from 'mongoose';
import type { AccountKey } from '../contract/actions/common.ts';
import { SharedReads } from '../engine/shared-reads.ts';
import { Reading, SharedReading } from '../work/reading.ts';
import { assertScoped } from './account-scope.ts';

/** Up to here a total is exact (contract §2). */
export const EXACT_UP_TO = 10_000;
const MAX_AGE = 1_000; // ms
/** Documents of one piece: the embedded store passes this many index entries in about a millisecond. */
const PIECE = 10_000;

/** How a total is counted. */
export interface CountedBy {
	/** Name of the index that is to be used */
	hint?: string;
	/** Where that index does not have the matches by id: beyond the limit they are counted as it has them */
	inOnePass?: boolean;
}

function hintOf({ hint }: CountedBy): { hint?: string } {
	return hint === undefined ? {} : { hint };
}

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
 * that, counted again at most once a second per `cacheKey`, in pieces, shared by all who ask meanwhile.
 *
 * @param filter of documents whose `_id` is a number; it says nothing about `_id` itself
 * @param cacheKey names the filter among the filters of this model
 */
export async function boundedCount<T extends { _id: number }>(
	model: Model<T>,
	filter: QueryFilter<T>,
	cacheKey: AccountKey,
	by: CountedBy = {},
): Promise<number> {
	const recent = recentTotal(model, cacheKey);
	// So far above the limit it is not below it within a second, and even counting up to the limit can be spared.
	if (recent && recent.value > 2 * EXACT_UP_TO) return recent.count;
	const upToLimit = await sharedCounts(model).ask(cacheKey, async () => {
		return countPlain(model, filter, { limit: EXACT_UP_TO + 1, ...hintOf(by) });
	});
	if (upToLimit <= EXACT_UP_TO) return upToLimit;
	return joined(recentTotal(model, cacheKey) ?? recount(model, filter, cacheKey, by));
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
	options: { limit?: number; hint?: string },
): Promise<number> {
	assertScoped(filter, `${collection.name}.countDocuments`);
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

function recount<T extends { _id: number }>(
	model: Model<T>,
	filter: QueryFilter<T>,
	cacheKey: AccountKey,
	by: CountedBy,
): Total {
	const ofModel = totals.get(model) ?? new LRUCache<AccountKey, Total>({ max: 1_000 });
	const reading = new SharedReading([Reading.current()]);
	const count = reading.runWhole(() =>
		by.inOnePass ? countPlain(model, filter, hintOf(by)) : countInPieces(model, filter, hintOf(by)),
	);
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

/** Each piece ends at the id of its last document, so that rows that come or go shift nothing. */
async function countInPieces<T extends { _id: number }>(
	model: Model<T>,
	filter: QueryFilter<T>,
	hint: { hint?: string },
): Promise<number> {
	let count = 0;
	for (let after = 0; ; ) {
		const rest = { ...filter, _id: { $gt: after } } as QueryFilter<T>;
		const last = await model
			.findOne(rest, null, hint)
			.sort({ _id: 1 })
			.skip(PIECE - 1)
			.select({ _id: 1 })
			.lean<{ _id: number }>();
		if (!last) return count + (await model.countDocuments(rest, { limit: PIECE, ...hint }));
		count += PIECE;
		after = last._id;
	}
}
