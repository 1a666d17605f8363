import type { Model, QueryFilter } from 'mongoose';
import { assertScoped } from './account-scope.ts';

interface Window<T> {
	sort?: { [path in keyof T]?: 1 | -1 };
	skip?: number;
	/** 0 or left out: all */
	limit?: number;
	/** Name of the index to use */
	hint?: string;
	projection?: { [path in keyof T]?: 1 };
}

/**
 * Documents as they are stored, read past mongoose: its query, casting and hooks cost a read that serves one request
 * more than the store does. So the filter has to have the types of the fields, and it is held to `accountScope` here.
 */
export async function findPlain<T extends { account_id: string }>(
	{ collection }: Model<T>,
	filter: QueryFilter<T>,
	window: Window<T> = {},
): Promise<T[]> {
	assertScoped(filter, `${collection.name}.find`);
	return collection.find<T>(filter as object, window as object).toArray();
}
