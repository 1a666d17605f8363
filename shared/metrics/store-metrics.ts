import type { Connection } from 'mongoose';
import { isDuplicateKey, isUnavailable } from '../store/write-errors.ts';
import { CountsBy, DurationsBy } from './by-labels.ts';
import type { Metrics } from './metrics.ts';

/** What our models call of a collection, in both forms. */
const OPERATIONS = [
	...['find', 'findOne', 'countDocuments', 'aggregate', 'findOneAndUpdate', 'insertOne', 'insertMany'],
	...['updateOne', 'updateMany', 'deleteOne', 'deleteMany'],
] as const;

type Method = (...args: unknown[]) => unknown;
type Collection = Record<string, Method | undefined>;

/**
 * Measures what the models ask of the store, below mongoose: alike for MongoDB and embedded, a wait for a connection of
 * the pool or for the group commit included. To be called before any model is made.
 */
export function measureStore(connection: Connection, metrics: Metrics): void {
	const durations = new DurationsBy('collection', 'operation');
	const errors = new CountsBy('operation', 'kind');
	metrics.histogram(
		'store_operation_duration_seconds',
		'Operations of the store until they ended, failed ones too',
		() => durations.series(),
	);
	metrics.counter('store_errors_total', 'Operations of the store that failed', () => errors.samples());

	const measured = <T>(collection: string, operation: string, answer: Promise<T>): Promise<T> => {
		const begin = performance.now();
		const end = () => durations.of(collection, operation).observe(performance.now() - begin);
		answer.then(end, (error: unknown) => {
			end();
			errors.add(operation, kindOf(error));
		});
		return answer;
	};

	const known = new WeakSet<object>();
	const makeCollection = connection.collection.bind(connection);
	connection.collection = ((name: string, ...options: never[]) => {
		const collection = makeCollection(name, ...options);
		if (!known.has(collection)) {
			known.add(collection);
			measureCollection(collection as unknown as Collection, name, measured);
		}
		return collection;
	}) as Connection['collection'];
}

function measureCollection(
	collection: Collection,
	name: string,
	measured: <T>(collection: string, operation: string, answer: Promise<T>) => Promise<T>,
): void {
	for (const operation of OPERATIONS) {
		const original = collection[operation];
		if (original === undefined) continue;
		collection[operation] = function (this: unknown, ...args: unknown[]) {
			const answer = original.apply(this, args);
			if (answer instanceof Promise) return measured(name, operation, answer);
			const cursor = answer as { toArray(): Promise<unknown> };
			const toArray = cursor.toArray.bind(cursor); // the cursor asks nothing before
			cursor.toArray = () => measured(name, operation, toArray());
			return cursor;
		};
	}
}

/** `duplicate_key` is how a unique index says no; it is part of deciding, not a fault. */
function kindOf(error: unknown): 'duplicate_key' | 'unavailable' | 'other' {
	if (isDuplicateKey(error)) return 'duplicate_key';
	return isUnavailable(error) ? 'unavailable' : 'other';
}
