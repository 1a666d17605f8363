import type { Bucket } from './bucket.ts';

/** Builds every key that the limiter uses in Redis. */
export class LimiterKeys {
	readonly #prefix: string;

	/** @param namespace prefix of everything that this installation keeps in Redis; no braces in it */
	constructor(namespace: string) {
		this.#prefix = `${namespace}:limit`;
	}

	/** The braces are a hash tag: an owner's keys fall into one slot of a Redis Cluster, as a script requires. */
	of({ owner, name }: Pick<Bucket, 'owner' | 'name'>): string {
		return `${this.#prefix}:{${owner}}:${name}`;
	}
}
