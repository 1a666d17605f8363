import type { Connection } from 'mongoose';
import { Reading } from '../../reading/reading.ts';
import { Writing } from '../../reading/writing.ts';
import { eachCollection } from '../each-collection.ts';

/** What the driver's methods answer, each some of it */
interface Written {
	insertedCount?: number;
	matchedCount?: number;
	deletedCount?: number;
}

const METHODS = ['insertOne', 'insertMany', 'updateOne', 'updateMany', 'findOneAndUpdate', 'deleteOne', 'deleteMany'];

/** Tells each request what it wrote. A document that was looked for and not found is one, too. */
export function weighWrites(connection: Connection): void {
	eachCollection(connection, (collection) => {
		for (const method of METHODS) {
			const original = collection[method]!;
			collection[method] = function (this: unknown, ...args: unknown[]) {
				const written = original.apply(this, args) as Promise<Written | null>;
				const payer = Reading.payer();
				if (!(payer instanceof Writing)) return written;
				return written.then((result) => {
					payer.wrote(documents(result));
					return result;
				});
			};
		}
	});
}

function documents(result: Written | null): number {
	return Math.max(result?.insertedCount ?? result?.matchedCount ?? result?.deletedCount ?? 1, 1);
}
