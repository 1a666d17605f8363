import type { Redis } from 'ioredis';
import { luaScript } from '../redis/lua-script.ts';
import type { Bucket } from './bucket.ts';

export type TakeAnswer = [wait: number, toFull: number, fullAt: number][];

/** A connection that knows the script. What it takes and answers stands at the head of its file in `commands/`. */
export interface LimiterRedis extends Redis {
	take(keys: number, ...keysAndNumbers: (string | number)[]): Promise<TakeAnswer>;
	/** @returns µs until the bucket is full */
	charge(key: string, tokens: number, size: number, interval: number, known: number, debt: number): Promise<number>;
}

/** As ioredis' option `scripts` takes it. */
const commands = new URL('commands/', import.meta.url);
export const LIMITER_SCRIPTS = { take: luaScript(commands, 'take-n'), charge: luaScript(commands, 'charge-1') };

/** @param known for each bucket: for how long it will not be full as far as the caller knows, in µs; 0: nothing */
export function takeArguments(
	keys: LimiterKeys,
	buckets: readonly Bucket[],
	tokens: number,
	known: (bucket: Bucket) => number,
): [keys: number, ...keysAndNumbers: (string | number)[]] {
	const numbers = buckets.flatMap((bucket) => [bucket.size, bucket.interval, known(bucket), bucket.debt]);
	return [buckets.length, ...buckets.map((bucket) => keys.of(bucket)), tokens, ...numbers];
}

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
