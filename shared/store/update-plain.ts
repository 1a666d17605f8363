import type { Model, QueryFilter, UpdateQuery } from 'mongoose';
import { assertScoped } from './account-scope.ts';

/*
 * Updates past mongoose, as `findPlain` reads: where each batch of creations pays for one, mongoose's part is a quarter to a
 * third of it. So filter and update have to have the types of the fields, and the filter is held to `accountScope` here.
 */

/** Changes the one document that is found. @returns whether there was one */
export async function updatePlain<T extends { account_id: string }>(
	{ collection }: Model<T>,
	filter: QueryFilter<T>,
	update: UpdateQuery<T>,
): Promise<boolean> {
	assertScoped(filter, `${collection.name}.updateOne`);
	return (await collection.updateOne(filter as object, update as object)).matchedCount === 1;
}

/** @returns how many documents were found */
export async function updateManyPlain<T extends { account_id: string }>(
	{ collection }: Model<T>,
	filter: QueryFilter<T>,
	update: UpdateQuery<T>,
): Promise<number> {
	assertScoped(filter, `${collection.name}.updateMany`);
	return (await collection.updateMany(filter as object, update as object)).matchedCount;
}
