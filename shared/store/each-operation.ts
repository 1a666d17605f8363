import type { Connection } from 'mongoose';

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

export type Method = (this: unknown, ...args: unknown[]) => unknown;

/** The driver's methods that write what a request asks for */
export const WRITES = [
	'insertOne',
	'insertMany',
	'updateOne',
	'updateMany',
	'findOneAndUpdate',
	'deleteOne',
	'deleteMany',
];

/** A collection by its methods, which may be replaced. */
export type Methods = Record<string, Method | undefined>;

/** Visits each collection of a connection once, as a model is made of it. To be called before any model is made. */
export function eachCollection(connection: Connection, visit: (collection: Methods, name: string) => void): void {
	const known = new WeakSet<object>();
	const makeCollection = connection.collection.bind(connection);
	connection.collection = ((name: string, ...options: never[]) => {
		const collection = makeCollection(name, ...options);
		if (!known.has(collection)) {
			known.add(collection);
			visit(collection as unknown as Methods, name);
		}
		return collection;
	}) as Connection['collection'];
}

/**
 * Sees every write of a connection. To be called before any model is made.
 * @param see is told of a write that was sent; what it returns is what the caller gets
 */
export function eachWrite<T>(connection: Connection, see: (written: Promise<T>) => Promise<T>): void {
	eachCollection(connection, (collection) => {
		for (const method of WRITES) {
			const original = collection[method]!;
			collection[method] = function (this: unknown, ...args: unknown[]) {
				return see(original.apply(this, args) as Promise<T>);
			};
		}
	});
}
