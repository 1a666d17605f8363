import type { Redis } from 'ioredis';
import { luaScript } from '../redis/redis-link.ts';

type TokenArguments = [holder: string, queue: string, token: string, ttl: number, channels: string, key: string];

/** A connection that knows the scripts. What each takes and answers stands at the head of its file in `commands/`. */
export interface LockRedis extends Redis {
	acquire(...args: TokenArguments): Promise<[held: 0 | 1, pttl: number, time: string]>;
	release(...args: TokenArguments): Promise<0 | 1>;
	inspect(holder: string, queue: string): Promise<[token: string | null, waiting: number, pttl: number]>;
}

const COMMANDS = new URL('commands/', import.meta.url);

/** The scripts as ioredis' option `scripts` takes them. */
export const LOCK_SCRIPTS = {
	acquire: luaScript(COMMANDS, 'acquire-2'),
	release: luaScript(COMMANDS, 'release-2'),
	inspect: luaScript(COMMANDS, 'inspect-2'),
};

/** The arguments that acquire and release have in common. */
export function tokenArguments(keys: LockKeys, key: string, token: string, ttl: number): TokenArguments {
	return [...keys.of(key), token, ttl, keys.channels, key];
}

/** Builds every key and channel that the lock uses in Redis. */
export class LockKeys {
	readonly #prefix: string;

	/** @param namespace prefix of everything that this installation keeps in Redis; no braces in it */
	constructor(namespace: string) {
		this.#prefix = `${namespace}:lock`;
	}

	/**
	 * Holder and queue of a key, in the order in which the scripts take them. The braces are a hash tag: both keys fall
	 * into one slot of a Redis Cluster, as a script requires.
	 */
	of(key: string): [holder: string, queue: string] {
		return [`${this.#prefix}:{${key}}:holder`, `${this.#prefix}:{${key}}:queue`];
	}

	/** Where a process hears that it is next. The scripts append the process to {@link channels}. */
	channel(process: string): string {
		return this.channels + process;
	}

	get channels(): string {
		return `${this.#prefix}:process:`;
	}
}
