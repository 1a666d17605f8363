import type { Redis } from 'ioredis';
import { luaScript } from '../redis/lua-script.ts';
import type { LockKeys } from './lock-keys.ts';

type TokenArguments = [holder: string, queue: string, token: string, ttl: number, channels: string, place: string];

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
export function tokenArguments(keys: LockKeys, place: string, token: string, ttl: number): TokenArguments {
	return [...keys.of(place), token, ttl, keys.channels, place];
}
