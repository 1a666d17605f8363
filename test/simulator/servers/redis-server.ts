import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Network, SimSocket } from '../world/network.ts';
import type { SimProcess } from '../world/sim-process.ts';
import { LuaMachine, type RedisValue } from './lua.ts';

export const REDIS_PORT = 6379;

interface Parser {
	execute(chunk: Buffer): void;
}
type MakeParser = new (options: {
	returnReply(reply: string[]): void;
	returnError(error: Error): void;
	returnFatalError(error: Error): void;
}) => Parser;
const RedisParser = createRequire(import.meta.url)('redis-parser') as MakeParser;

interface Entry {
	value: string | string[];
	/** ms since the epoch; infinite where it does not expire */
	expires: number;
}

const WRONG_TYPE = 'WRONGTYPE Operation against a key holding the wrong kind of value';

class Status {
	readonly text: string;
	constructor(text: string) {
		this.text = text;
	}
}

/** Redis as far as lock and limiter use it: texts and lists that expire, channels, and the product's own scripts. */
export class RedisServer {
	readonly #network: Network;
	readonly #process: SimProcess;
	readonly #entries = new Map<string, Entry>();
	readonly #channels = new Map<string, Set<SimSocket>>();
	readonly #scripts = new Map<string, (keys: string[], args: string[]) => RedisValue>();
	readonly #lua = new LuaMachine((name, args) => this.#command(name, args));
	commands = 0;

	constructor(network: Network, process: SimProcess) {
		this.#network = network;
		this.#process = process;
	}

	start(): void {
		this.#network.listen(this.#process, REDIS_PORT, (socket) => this.#serve(socket));
	}

	/** Everything is forgotten, as by FLUSHALL or a restart; who listens still does. */
	flush(): void {
		this.#entries.clear();
	}

	#serve(socket: SimSocket): void {
		const parser = new RedisParser({
			returnReply: (words) => this.#answer(socket, words.map(String)),
			returnError: () => socket.destroy(),
			returnFatalError: () => socket.destroy(),
		});
		socket.on('error', () => {});
		socket.on('data', (chunk: Buffer) => parser.execute(chunk));
		socket.on('close', () => {
			for (const listeners of this.#channels.values()) listeners.delete(socket);
		});
	}

	#answer(socket: SimSocket, [name = '', ...args]: string[]): void {
		const verb = name.toUpperCase();
		if (verb === 'SUBSCRIBE') {
			for (const channel of args) {
				const listeners = this.#channels.get(channel) ?? new Set();
				this.#channels.set(channel, listeners.add(socket));
				socket.write(encode(['subscribe', channel, 1]));
			}
			return;
		}
		let answer: string;
		try {
			answer = encode(this.#ask(verb, args));
		} catch (error) {
			const { message } = error as Error;
			answer = `-${/^[A-Z]+ /.test(message) ? message : `ERR ${message}`}\r\n`;
		}
		socket.write(answer);
	}

	#ask(verb: string, args: string[]): RedisValue | Status {
		if (verb === 'EVALSHA' || verb === 'EVAL') {
			this.commands++;
			const script = verb === 'EVAL' ? this.#compile(args[0]!) : this.#scripts.get(args[0]!);
			if (script === undefined) throw new Error('NOSCRIPT No matching script. Please use EVAL.');
			const keys = Number(args[1]);
			return script(args.slice(2, 2 + keys), args.slice(2 + keys));
		}
		if (verb === 'SCRIPT') {
			this.#compile(args[1]!);
			return sha1(args[1]!);
		}
		if (verb === 'PING') return new Status('PONG');
		if (verb === 'INFO') return 'redis_version:7.2.0\r\nloading:0\r\nrole:master\r\n';
		if (verb === 'CLIENT' || verb === 'SELECT' || verb === 'QUIT') return new Status('OK');
		const answer = this.#command(verb, args);
		return verb === 'SET' ? new Status('OK') : answer;
	}

	#compile(text: string): (keys: string[], args: string[]) => RedisValue {
		const hash = sha1(text);
		const script = this.#scripts.get(hash) ?? this.#lua.compile(text);
		this.#scripts.set(hash, script);
		return script;
	}

	#entry(key: string): Entry | undefined {
		const entry = this.#entries.get(key);
		if (entry === undefined || entry.expires > this.#process.wall()) return entry;
		this.#entries.delete(key);
		return undefined;
	}

	#list(key: string): string[] {
		const value = this.#entry(key)?.value ?? [];
		if (typeof value === 'string') throw new Error(WRONG_TYPE);
		return value;
	}

	#text(key: string): string | null {
		const value = this.#entry(key)?.value ?? null;
		if (value !== null && typeof value !== 'string') throw new Error(WRONG_TYPE);
		return value;
	}

	#keep(key: string, list: string[]): void {
		if (list.length === 0) this.#entries.delete(key);
		else this.#entries.set(key, { value: list, expires: this.#entry(key)?.expires ?? Number.POSITIVE_INFINITY });
	}

	#command(name: string, [key = '', ...args]: string[]): RedisValue {
		const now = this.#process.wall();
		switch (name) {
			case 'TIME': {
				const micros = Math.floor(this.#process.time * 1000) % 1000;
				return [String(Math.floor(now / 1000)), String((now % 1000) * 1000 + micros)];
			}
			case 'GET':
				return this.#text(key);
			case 'SET': {
				const ms = args[1]?.toUpperCase() === 'PX' ? Number(args[2]) : Number.POSITIVE_INFINITY;
				this.#entries.set(key, { value: args[0]!, expires: now + ms });
				return 'OK';
			}
			case 'DEL':
				return this.#entries.delete(key) ? 1 : 0;
			case 'PEXPIRE': {
				const entry = this.#entry(key);
				if (entry) entry.expires = now + Number(args[0]);
				return entry ? 1 : 0;
			}
			case 'PTTL': {
				const entry = this.#entry(key);
				if (entry === undefined) return -2;
				return Number.isFinite(entry.expires) ? entry.expires - now : -1;
			}
			case 'LPOS': {
				const at = this.#list(key).indexOf(args[0]!);
				return at < 0 ? null : at;
			}
			case 'RPUSH':
				this.#keep(key, [...this.#list(key), ...args]);
				return this.#list(key).length;
			case 'LPOP': {
				const [first, ...others] = this.#list(key);
				this.#keep(key, others);
				return first ?? null;
			}
			case 'LREM': {
				const list = this.#list(key);
				this.#keep(
					key,
					list.filter((each) => each !== args[1]),
				);
				return list.length - this.#list(key).length;
			}
			case 'LLEN':
				return this.#list(key).length;
			case 'PUBLISH': {
				const listeners = this.#channels.get(key) ?? new Set();
				for (const socket of listeners) socket.write(encode(['message', key, args[0]!]));
				return listeners.size;
			}
			default:
				throw new Error(`the simulated Redis has no command ${name}`);
		}
	}
}

function encode(value: RedisValue | Status): string {
	if (value instanceof Status) return `+${value.text}\r\n`;
	if (value === null) return '$-1\r\n';
	if (typeof value === 'number') return `:${value}\r\n`;
	if (typeof value === 'string') return `$${Buffer.byteLength(value)}\r\n${value}\r\n`;
	return `*${value.length}\r\n${value.map(encode).join('')}`;
}

function sha1(text: string): string {
	return createHash('sha1').update(text).digest('hex');
}
