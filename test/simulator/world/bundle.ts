import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';
import type { SmallLimits } from '../limits.ts';
import { current, type SimProcess } from './sim-process.ts';

type Require = ((name: string) => unknown) & { resolve(name: string): string };
type Evaluate = (
	exports: object,
	require: Require,
	module: { exports: object },
	file: string,
	directory: string,
	limitOf: (name: string, value: number) => number,
) => void;

/**
 * The product's modules, evaluated anew for each process: what they keep at their top is a process' own, as in an
 * operating system. Packages are loaded once for all processes and worlds. What they keep is either pure (compiled
 * patterns), or a counter that nothing depends on; what the product changes in them is each process' own, by `ownFields`.
 */
export class Bundle {
	readonly file: string;
	readonly #evaluate: Evaluate;
	readonly #require: NodeJS.Require;

	constructor(file: string) {
		this.file = file;
		this.#require = remembering(createRequire(file));
		makeCachesSmall(this.#require('lru-cache') as Caches);
		const wrapped = `(function (exports, require, module, __filename, __dirname, limitOf) { ${readFileSync(file, 'utf8')}\n})`;
		this.#evaluate = new Script(wrapped, { filename: file }).runInThisContext() as Evaluate;
		const ofMongoose = createRequire(this.#require.resolve('mongoose'));
		const { Connection } = ofMongoose('mongodb/lib/cmap/connection.js') as { Connection: { prototype: object } };
		ownFields(Connection.prototype, ['command', 'writeCommand']);
		for (const name of ['nats', 'ioredis', 'redis-parser', 'pino']) this.#require(name);
	}

	/** Loads all services, outside any world: what processes share is there from now on, and no world is the first one. */
	async prepare(): Promise<void> {
		const { load } = this.load() as { load: Record<string, () => Promise<unknown>> };
		for (const service of Object.values(load)) await service();
	}

	/**
	 * @param limits those that are not as they are shipped
	 * @returns what the bundle exports, made for who runs now
	 */
	load(limits: SmallLimits = new Map()): unknown {
		const module = { exports: {} };
		const limitOf = (name: string, value: number) => limits.get(name) ?? value;
		this.#evaluate(module.exports, this.#require, module, this.file, dirname(this.file), limitOf);
		return module.exports;
	}
}

/** Asks Node for each name once: it looks at files each time. */
function remembering(require: NodeJS.Require): NodeJS.Require {
	const known = new Map<string, unknown>();
	const asked = (name: string) => {
		if (!known.has(name)) known.set(name, require(name));
		return known.get(name);
	};
	return Object.assign(asked, require);
}

interface Caches {
	LRUCache: new (options: { max?: number }) => object;
}

/** Entries; more accounts, keys and dates than any world has */
const MOST_CACHED = 1_000;

/** Each reserves room for all that it may hold when it is made: of tens of thousands, a twentieth of what a world costs. */
function makeCachesSmall(caches: Caches): void {
	const { LRUCache } = caches;
	class SmallCache extends LRUCache {
		constructor({ max, ...others }: { max?: number }) {
			super({ ...others, ...(max !== undefined && { max: Math.min(max, MOST_CACHED) }) });
		}
	}
	if (LRUCache.name !== SmallCache.name) caches.LRUCache = SmallCache;
}

const OWN = Symbol('fields of their own');

/** Fields of a shared object that a process may set for itself only. */
function ownFields(target: object, names: string[]): void {
	if (OWN in target) return;
	Object.defineProperty(target, OWN, { value: true });
	for (const name of names) {
		const original: unknown = Reflect.get(target, name);
		const values = new WeakMap<SimProcess, unknown>();
		Object.defineProperty(target, name, {
			get: () => {
				const process = current();
				return (process && values.get(process)) ?? original;
			},
			set: (value) => {
				const process = current();
				if (process) values.set(process, value);
			},
		});
	}
}
