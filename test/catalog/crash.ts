import type { Store } from '../../shared/store/open-store.ts';

const WRITES = ['insertOne', 'insertMany', 'updateOne', 'updateMany', 'findOneAndUpdate', 'deleteOne', 'deleteMany'];
const COLLECTIONS = ['services', 'time_slots', 'slot_updates', 'catalog_counters'];

type Method = (...parameters: unknown[]) => Promise<unknown>;

export interface Crash {
	/** Resolves when the write at which the process dies was reached */
	readonly died: Promise<void>;
	/** The store works again: for the process that is started next. What hung hangs for ever. */
	over(): void;
}

/**
 * Lets the process that uses the store die at its `nth` write from now on: this write and all after it are never answered,
 * as far as that process can tell.
 * @param nth from 0
 * @param when whether the store carries this write out before the process dies
 */
export function crashAt(store: Store, nth: number, when: 'before' | 'after'): Crash {
	let writes = 0;
	const undo: (() => void)[] = [];
	const { promise: died, resolve: die } = Promise.withResolvers<void>();
	for (const name of COLLECTIONS) {
		const collection = store.connection.collection(name) as unknown as Record<string, Method>;
		for (const method of WRITES) {
			const real = collection[method]!;
			collection[method] = async function (this: unknown, ...parameters) {
				const index = writes++;
				if (index < nth) return real.apply(this, parameters);
				if (index === nth && when === 'after') await real.apply(this, parameters).catch(() => undefined);
				die();
				return new Promise(() => {});
			};
			undo.push(() => {
				delete collection[method];
			});
		}
	}
	return {
		died,
		over() {
			for (const step of undo) step();
		},
	};
}
