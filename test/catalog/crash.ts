import type { Connection } from 'mongoose';
import type { Store } from '../../shared/store/store.ts';

const WRITES = ['insertOne', 'insertMany', 'updateOne', 'updateMany', 'findOneAndUpdate', 'deleteOne', 'deleteMany'];

type Method = (...parameters: unknown[]) => Promise<unknown>;

/** A store as one process has it, which dies at one of its writes: that one and all after it are never answered. */
export interface DyingStore {
	store: Store;
	/** Resolves when the process has died */
	died: Promise<void>;
	/** Counts the writes from now on. */
	arm(): void;
}

/**
 * @param nth write from `arm()` on, from 0
 * @param when whether the store carries this write out before the process dies
 */
export function dyingStore(store: Store, nth: number, when: 'before' | 'after'): DyingStore {
	let writes = Number.NEGATIVE_INFINITY;
	const { promise: died, resolve: die } = Promise.withResolvers<void>();
	const underWay = new Set<Promise<unknown>>();
	const write = (real: Method, parameters: unknown[]): Promise<unknown> => {
		const index = writes++;
		if (index < nth || (index === nth && when === 'after')) {
			const writing = real(...parameters);
			underWay.add(writing);
			if (index < nth) return writing;
		}
		Promise.allSettled(underWay).then(() => die()); // what was sent before it died arrives
		return new Promise(() => {});
	};
	const wrapCollection = <T extends object>(collection: T): T =>
		new Proxy(collection, {
			get(target, name) {
				const value: unknown = Reflect.get(target, name, target);
				if (typeof value !== 'function') return value;
				const real = value.bind(target) as Method;
				return WRITES.includes(String(name)) ? (...parameters: unknown[]) => write(real, parameters) : real;
			},
		});
	const connection = new Proxy(store.connection, {
		get(target, name) {
			const value: unknown = Reflect.get(target, name, target);
			if (name !== 'model') return typeof value === 'function' ? value.bind(target) : value;
			return (...parameters: Parameters<Connection['model']>) => {
				const model = target.model(...parameters); // with a collection's name it is made anew
				const collection = wrapCollection(model.collection);
				return Object.assign(model, { collection, $__collection: collection });
			};
		},
	});
	return {
		store: { ...store, connection },
		died,
		arm() {
			writes = 0;
		},
	};
}

/**
 * Each moment at which a process may die, as `dyingStore` takes it: before the first write, and behind each one. Before a
 * write the store is as it was behind the one before. It has no end: an action that dies no more was tried at each.
 */
export function* deaths(): Generator<[nth: number, when: 'before' | 'after']> {
	yield [0, 'before'];
	for (let nth = 0; ; nth++) yield [nth, 'after'];
}

export interface Interception {
	/** Everything that it was called with */
	readonly calls: unknown[][];
	undo(): void;
}

/** Puts itself before a method of a collection, for every process: `act` decides whether and when the real one runs. */
export function intercept(
	store: Store,
	collection: string,
	method: string,
	act: (run: () => Promise<unknown>, call: number) => Promise<unknown>,
): Interception {
	const target = store.connection.collection(collection) as unknown as Record<string, Method>;
	const real = target[method]!;
	const calls: unknown[][] = [];
	target[method] = async function (this: unknown, ...parameters) {
		calls.push(parameters);
		return act(() => real.apply(this, parameters), calls.length - 1);
	};
	return {
		calls,
		undo() {
			delete target[method];
		},
	};
}

/** What the driver throws when the connection is lost: the write may have happened, or still happen. */
export function lostConnection(): Error {
	return Object.assign(new Error('connection lost'), { name: 'MongoNetworkError' });
}
