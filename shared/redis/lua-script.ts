import { readFileSync } from 'node:fs';

/** A script as ioredis' option `scripts` takes it: sent by its hash, in full only where Redis lacks it. */
export interface LuaScript {
	lua: string;
	/** Undefined: the first argument of the command says how many */
	numberOfKeys: number | undefined;
}

/**
 * Reads `<command>-<number of keys>.lua`, the number being `n` where it differs from call to call.
 * `--- @include "name"` stands for the file of that name in `includes/`.
 * @param directory ends with a slash
 */
export function luaScript(directory: URL, file: string): LuaScript {
	const read = (name: string) => readFileSync(new URL(`${name}.lua`, directory), 'utf8');
	const lua = read(file).replace(/^--- @include "(.+)"$/gm, (_, name: string) => read(`includes/${name}`));
	const keys = file.slice(file.lastIndexOf('-') + 1);
	return { lua, numberOfKeys: keys === 'n' ? undefined : Number(keys) };
}
