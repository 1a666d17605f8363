import { isDeepStrictEqual } from 'node:util';
import type { Model } from 'mongoose';
import { retryDeadlock } from './write-errors.ts';

interface FoundIndex {
	name: string;
	key: Record<string, unknown>;
	unique?: boolean;
}

/**
 * Creates the models' collections and indexes, then reads the indexes back and compares keys and unique flags. To be
 * awaited before any traffic (musts L9): without its unique indexes a collection refuses nothing.
 *
 * @throws Error that names each index that is missing or different
 */
// biome-ignore lint/suspicious/noExplicitAny: a model of any document
export async function prepareModels(models: Model<any>[]): Promise<void> {
	for (const model of models) {
		await retryDeadlock(() => model.createCollection());
		await retryDeadlock(() => model.createIndexes());
		const found = (await model.listIndexes()) as FoundIndex[];
		const missing = model.schema
			.indexes()
			.filter(([key, options]) => !found.some((index) => same(index, key, options)));
		if (missing.length > 0) {
			const names = missing.map(([key, options]) => `${options.unique ? 'unique ' : ''}${JSON.stringify(key)}`);
			throw new Error(`collection ${model.collection.name} lacks ${names.join(', ')}`);
		}
	}
}

function same(index: FoundIndex, key: Record<string, unknown>, options: { unique?: unknown }): boolean {
	return (
		isDeepStrictEqual(Object.entries(index.key), Object.entries(key)) &&
		Boolean(index.unique) === Boolean(options.unique)
	);
}
