import type { Connection } from 'mongoose';
import { eachCollection, type Methods } from './each-collection.ts';

/** What our models call of a collection, in both forms: those that answer a promise, and those that answer a cursor. */
const OPERATIONS = [
	...['findOne', 'countDocuments', 'findOneAndUpdate', 'insertOne', 'insertMany'],
	...['updateOne', 'updateMany', 'deleteOne', 'deleteMany'],
] as const;
const CURSORS = ['find', 'aggregate'] as const;

/** Runs an operation, and watches it meanwhile. */
export type Watch = <T>(collection: string, operation: string, run: () => Promise<T>) => Promise<T>;

/**
 * Watches what the models ask of the store, below mongoose: alike for MongoDB and embedded, a wait for a connection of
 * the pool or for the group commit included. To be called before any model is made.
 */
export function eachOperation(connection: Connection, watch: Watch): void {
	eachCollection(connection, (collection, name) => watchCollection(collection, name, watch));
}

function watchCollection(collection: Methods, name: string, watch: Watch): void {
	for (const operation of OPERATIONS) {
		const original = collection[operation];
		if (original === undefined) continue;
		collection[operation] = function (this: unknown, ...args: unknown[]) {
			return watch(name, operation, () => original.apply(this, args) as Promise<unknown>);
		};
	}
	for (const operation of CURSORS) {
		const original = collection[operation];
		if (original === undefined) continue;
		collection[operation] = function (this: unknown, ...args: unknown[]) {
			const cursor = original.apply(this, args) as { toArray(): Promise<unknown> };
			const toArray = cursor.toArray.bind(cursor); // the cursor asks nothing before
			cursor.toArray = () => watch(name, operation, toArray);
			return cursor;
		};
	}
}
