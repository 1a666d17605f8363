import type { Connection } from 'mongoose';

export type Method = (this: unknown, ...args: unknown[]) => unknown;

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
