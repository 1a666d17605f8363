import type { Connection } from 'mongoose';

export type Method = (this: unknown, ...args: unknown[]) => unknown;

/** The driver's methods that write what a request asks for */
const WRITES = ['insertOne', 'insertMany', 'updateOne', 'updateMany', 'findOneAndUpdate', 'deleteOne', 'deleteMany'];

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
