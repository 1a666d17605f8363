import type { Model, QueryFilter, UpdateQuery } from 'mongoose';

/** A row that operators change; `revision` counts the changes, and is not there before the first one. */
export interface Revised {
	_id: string | number;
	revision?: number;
}

/**
 * Changes a row if it is still as it was read. So a change that lands late, after its answer was lost, undoes no newer one.
 * @returns false where it changed since: it is to be read again
 */
export async function changeAsRead<Row extends Revised>(
	model: Model<Row>,
	{ _id, revision }: Revised,
	changes: Partial<Row>,
): Promise<boolean> {
	const filter = { _id, revision: revision ?? { $exists: false } } as QueryFilter<Row>;
	const change = { $set: { ...changes, revision: (revision ?? 0) + 1 } } as UpdateQuery<Row>;
	return (await model.updateOne(filter, change)).matchedCount === 1;
}
