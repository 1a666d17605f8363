import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import type { LockKeys } from './lock-keys.ts';

type TokenArguments = [holder: string, queue: string, token: string, ttl: number, channels: string, place: string];

/** A connection that knows the scripts. What each takes and answers stands at the head of its file in `commands/`. */
export interface LockRedis extends Redis {
	acquire(...args: TokenArguments): Promise<[held: 0 | 1, pttl: number, time: string]>;
	release(...args: TokenArguments): Promise<0 | 1>;
	inspect(holder: string, queue: string): Promise<[token: string | null, waiting: number, pttl: number]>;
}

/** The scripts as ioredis' option `scripts` takes them: sent by their hash, in full only where Redis lacks them. */
export const LOCK_SCRIPTS = {
	acquire: script('acquire-2'),
	release: script('release-2'),
	inspect: script('inspect-2'),
};

/** The arguments that acquire and release have in common. */
export function tokenArguments(keys: LockKeys, place: string, token: string, ttl: number): TokenArguments {
	return [...keys.of(place), token, ttl, keys.channels, place];
}

/** Reads `commands/<command>-<number of keys>.lua`; `--- @include "name"` stands for a file of `commands/includes/`. */
function script(file: string): { lua: string; numberOfKeys: number } {
	const lua = lines(file).replace(/^--- @include "(.+)"$/gm, (_, name: string) => lines(`includes/${name}`));
	return { lua, numberOfKeys: Number(file.slice(file.lastIndexOf('-') + 1)) };
}

function lines(file: string): string {
	return readFileSync(new URL(`commands/${file}.lua`, import.meta.url), 'utf8');
}
