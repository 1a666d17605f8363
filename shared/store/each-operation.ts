import type { Connection } from 'mongoose';

/** What our models call of a collection, in both forms: those that answer a promise, and those that answer a cursor. */
const OPERATIONS = [
	...['findOne', 'countDocuments', 'findOneAndUpdate', 'insertOne', 'insertMany'],
	...['updateOne', 'updateMany', 'deleteOne', 'deleteMany'],
] as const;
const CURSORS = ['find', 'aggregate'] as const;

/** Runs an operation, and watches it meanwhile. */
export type Watch = <T>(collection: string, operation: string, run: () => Promise<T>) => Promise<T>;

type Method = (...args: unknown[]) => unknown;
type Collection = Record<string, Method | undefined>;

/**
 * Watches what the models ask of the store, below mongoose: alike for MongoDB and embedded, a wait for a connection of
 * the pool or for the group commit included. To be called before any model is made.
 */
export function eachOperation(connection: Connection, watch: Watch): void {
	const known = new WeakSet<object>();
	const makeCollection = connection.collection.bind(connection);
	connection.collection = ((name: string, ...options: never[]) => {
		const collection = makeCollection(name, ...options);
		if (!known.has(collection)) {
			known.add(collection);
			watchCollection(collection as unknown as Collection, name, watch);
		}
		return collection;
	}) as Connection['collection'];
}

function watchCollection(collection: Collection, name: string, watch: Watch): void {
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
