import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Model } from 'mongoose';
import { isUnavailable, retryDeadlock } from './write-errors.ts';

/** ms; a server may also call it unavailable where an index cannot be made */
const PATIENCE = 8_000;

interface FoundIndex {
	name: string;
	key: Record<string, unknown>;
	unique?: boolean;
	partialFilterExpression?: object;
}

type IndexOptions = { unique?: unknown; partialFilterExpression?: unknown };

/**
 * Creates the models' collections and indexes, then reads the indexes back and compares keys, unique flags and what they are about. To be
 * awaited before any traffic (promise L9): without its unique indexes a collection refuses nothing.
 *
 * @throws Error that names each index that is missing or different
 */
// biome-ignore lint/suspicious/noExplicitAny: a model of any document
export async function prepareModels(models: Model<any>[]): Promise<void> {
	for (const model of models) {
		await whenAvailable(() => retryDeadlock(() => model.createCollection()), PATIENCE);
		await whenAvailable(() => retryDeadlock(() => model.createIndexes()), PATIENCE);
		const found = (await whenAvailable(() => model.listIndexes(), PATIENCE)) as FoundIndex[];
		const missing = model.schema
			.indexes()
			.filter(([key, options]) => !found.some((index) => same(index, key, options)));
		if (missing.length > 0) {
			const names = missing.map(([key, options]) => `${options.unique ? 'unique ' : ''}${JSON.stringify(key)}`);
			throw new Error(`collection ${model.collection.name} lacks ${names.join(', ')}`);
		}
	}
}

function same(index: FoundIndex, key: Record<string, unknown>, options: IndexOptions): boolean {
	return (
		isDeepStrictEqual(Object.entries(index.key), Object.entries(key)) &&
		Boolean(index.unique) === Boolean(options.unique) &&
		isDeepStrictEqual(index.partialFilterExpression, options.partialFilterExpression)
	);
}

const RETRY_EVERY = 500; // ms

/**
 * Tries again while the store is unavailable. For the start of a process only, and for what may be done twice: a request
 * is never retried.
 * @param patience ms after which the last failure is thrown
 * @param onWait hears of the first failure
 */
export async function whenAvailable<T>(
	work: () => Promise<T>,
	patience: number,
	onWait?: (error: unknown) => void,
): Promise<T> {
	const end = performance.now() + patience;
	for (let attempt = 1; ; attempt++) {
		try {
			return await work();
		} catch (error) {
			if (!isUnavailable(error) || performance.now() > end) throw error;
			if (attempt === 1) onWait?.(error);
			await delay(RETRY_EVERY);
		}
	}
}
