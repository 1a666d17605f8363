import { createRequire } from 'node:module';

// biome-ignore lint/suspicious/noExplicitAny: fengari has no types
const { lua, lauxlib, lualib, to_luastring, to_jsstring } = createRequire(import.meta.url)('fengari') as any;

/** Redis has Lua 5.1, in which every number is a double; here integers have 32 bits, too few for a time in ms. */
const AS_IN_REDIS = `
	local format = string.format
	function string.format(form, ...)
		return format((string.gsub(form, '%%d', '%%.0f')), ...)
	end`;

export type RedisValue = string | number | null | RedisValue[];
type Call = (name: string, args: string[]) => RedisValue;

/** Runs the product's own Lua scripts, as Redis does: compiled once, with KEYS and ARGV, and `redis.call`. */
export class LuaMachine {
	readonly #state = lauxlib.luaL_newstate();
	readonly #call: Call;

	constructor(call: Call) {
		this.#call = call;
		const state = this.#state;
		lualib.luaL_openlibs(state);
		this.compile(AS_IN_REDIS)([], []);
		lua.lua_newtable(state);
		lua.lua_pushcfunction(state, () => this.#redisCall());
		lua.lua_setfield(state, -2, to_luastring('call'));
		lua.lua_setglobal(state, to_luastring('redis'));
	}

	/** @returns a script that may be run many times */
	compile(text: string): (keys: string[], args: string[]) => RedisValue {
		const state = this.#state;
		if (lauxlib.luaL_loadstring(state, to_luastring(text)) !== lua.LUA_OK) throw new Error(this.#takeText());
		const script = lauxlib.luaL_ref(state, lua.LUA_REGISTRYINDEX);
		return (keys, args) => {
			this.#setGlobal('KEYS', keys);
			this.#setGlobal('ARGV', args);
			lua.lua_rawgeti(state, lua.LUA_REGISTRYINDEX, script);
			if (lua.lua_pcall(state, 0, 1, 0) !== lua.LUA_OK) throw new Error(this.#takeText());
			const result = this.#read(-1);
			lua.lua_pop(state, 1);
			return result;
		};
	}

	#setGlobal(name: string, texts: string[]): void {
		this.#push(texts);
		lua.lua_setglobal(this.#state, to_luastring(name));
	}

	#redisCall(): number {
		const state = this.#state;
		const args = Array.from({ length: lua.lua_gettop(state) }, (_, index) =>
			to_jsstring(lua.lua_tostring(state, index + 1)),
		);
		this.#push(this.#call(args[0]!.toUpperCase(), args.slice(1)));
		return 1;
	}

	/** As Redis does: nil becomes false, a list a table. */
	#push(value: RedisValue): void {
		const state = this.#state;
		if (value === null) lua.lua_pushboolean(state, false);
		else if (typeof value === 'number') lua.lua_pushinteger(state, value);
		else if (typeof value === 'string') lua.lua_pushstring(state, to_luastring(value));
		else {
			lua.lua_createtable(state, value.length, 0);
			for (const [index, each] of value.entries()) {
				this.#push(each);
				lua.lua_rawseti(state, -2, index + 1);
			}
		}
	}

	/** As Redis does: numbers lose what is behind the point, false is nil, a table ends at its first nil. */
	#read(at: number): RedisValue {
		const state = this.#state;
		switch (lua.lua_type(state, at)) {
			case lua.LUA_TNUMBER:
				return Math.trunc(lua.lua_tonumber(state, at));
			case lua.LUA_TSTRING:
				return to_jsstring(lua.lua_tostring(state, at));
			case lua.LUA_TBOOLEAN:
				return lua.lua_toboolean(state, at) ? 1 : null;
			case lua.LUA_TTABLE: {
				const list: RedisValue[] = [];
				const table = lua.lua_absindex(state, at);
				for (let index = 1; ; index++) {
					const isThere = lua.lua_rawgeti(state, table, index) !== lua.LUA_TNIL;
					if (isThere) list.push(this.#read(-1));
					lua.lua_pop(state, 1);
					if (!isThere) return list;
				}
			}
			default:
				return null;
		}
	}

	#takeText(): string {
		const text = to_jsstring(lua.lua_tostring(this.#state, -1));
		lua.lua_pop(this.#state, 1);
		return text;
	}
}
