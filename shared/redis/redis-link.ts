import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Redis, RedisOptions } from 'ioredis';

const require = createRequire(import.meta.url);

/** Failed probes after which a connection that still looks open is given up and made anew. */
const PROBES_BEFORE_RECONNECT = 3;

/** @typeParam Client a connection that knows the scripts */
export interface RedisLinkOptions<Client extends Redis> {
	url: string;
	/** by the name of the command that each becomes */
	scripts: Record<string, LuaScript>;
	/** where this process hears messages; without it the link has no connection that listens */
	listen?: { channel: string; onMessage(message: string): void };
	/** ms after which an answer counts as missing */
	answerWithin: number;
	/** answers in a row that may be missing before the link is down; default 0 */
	lateAnswers?: number;
	/** ms between a failure and the probe that may end it */
	retryAfter: number;
	/** asks for something that only a working Redis can do */
	probe(client: Client): Promise<unknown>;
	onDown(reason: string): void;
	onUp(): void;
}

/**
 * One connection for commands, where wanted one that listens, and whether they work. A failure of one takes the link down for
 * `retryAfter`; from then on one probe at a time asks whether Redis is back, so that no caller pays for asking.
 */
export class RedisLink<Client extends Redis> {
	readonly #options: RedisLinkOptions<Client>;
	readonly #client: Client;
	readonly #listener: Redis | undefined;
	readonly #connected: Promise<unknown>;
	#listening = false;
	#down = false;
	/** answers in a row that were late */
	#late = 0;
	#closed = false;
	#nextProbe: NodeJS.Timeout | undefined;

	constructor(options: RedisLinkOptions<Client>) {
		const { url, scripts, listen } = options;
		this.#options = options;
		const { Redis } = require('ioredis') as typeof import('ioredis'); // not before: the embedded form has no Redis
		const connection = { ...CONNECTION, Connector: hearingConnector() };
		this.#client = new Redis(url, { ...connection, scripts }) as Client;
		this.#listener = listen && new Redis(url, connection);
		this.#listener?.on('message', (_channel, message) => listen?.onMessage(message));
		this.#connected = Promise.all([
			this.#watch(this.#client),
			this.#listener && this.#watch(this.#listener, () => this.#listen()),
		]);
	}

	/**
	 * Sends a command. Rejects where it fails or is not answered in time, and takes the link down where it fails or one
	 * answer too many is late. Such a command may still be executed later, before anything that is sent after the link is
	 * up again.
	 */
	ask<T>(send: (client: Client) => Promise<T>): Promise<T> {
		return new Promise((resolve, reject) => {
			let settled = false;
			const fail = (error: Error, isDown = true) => {
				if (settled) return;
				settled = true;
				clearTimeout(limit);
				if (isDown) this.#fail(error.message);
				reject(error);
			};
			const tooLate = () => {
				const isDown = ++this.#late > (this.#options.lateAnswers ?? 0);
				fail(new Error(`Redis did not answer within ${this.#options.answerWithin} ms`), isDown);
			};
			const { answerWithin } = this.#options;
			const due = performance.now() + answerWithin;
			let limit = setTimeout(() => {
				// Where this process itself was busy for as long, Redis may not even have been asked.
				if (performance.now() > due + answerWithin) limit = setTimeout(() => setImmediate(tooLate), answerWithin);
				else setImmediate(tooLate); // an answer that has come is read between the timer and the immediate
			}, answerWithin);
			const succeed = (answer: T) => {
				settled = true;
				this.#late = 0;
				clearTimeout(limit);
				resolve(answer);
			};
			this.#connected.then(() => (settled ? undefined : send(this.#client).then(succeed, fail)));
		});
	}

	close(): void {
		this.#closed = true;
		clearTimeout(this.#nextProbe);
		this.#client.disconnect();
		this.#listener?.disconnect();
	}

	/** Resolves when the connection can be used for the first time. */
	#watch(connection: Redis, prepare: () => Promise<void> = async () => {}): Promise<void> {
		let reason = 'the connection to Redis was closed';
		connection.on('error', (error) => {
			reason = error.message;
		});
		connection.on('close', () => {
			if (connection === this.#listener) this.#listening = false;
			this.#fail(reason);
		});
		return new Promise((resolve) => {
			connection.on('ready', () => prepare().then(resolve, (error) => this.#fail(error.message)));
		});
	}

	async #listen(): Promise<void> {
		const { listen } = this.#options;
		if (listen) await this.#listener?.subscribe(listen.channel);
		this.#listening = true;
	}

	#fail(reason: string): void {
		if (this.#down || this.#closed) return;
		this.#down = true;
		this.#options.onDown(reason);
		this.#probeAfter(1);
	}

	#probeAfter(attempt: number): void {
		this.#nextProbe = setTimeout(async () => {
			try {
				await this.ask(this.#options.probe);
				if (this.#listener && !this.#listening) throw new Error('not subscribed');
			} catch {
				if (this.#closed) return;
				if (attempt % PROBES_BEFORE_RECONNECT === 0) this.#reconnect();
				this.#probeAfter(attempt + 1);
				return;
			}
			this.#down = false;
			this.#options.onUp();
		}, this.#options.retryAfter);
	}

	/** The other end may be gone without a word: an unanswered segment is repeated for a quarter of an hour. */
	#reconnect(): void {
		this.#client.disconnect(true);
		this.#listener?.disconnect(true);
	}
}

/**
 * Nothing is queued, sent again or waited for: with ioredis' defaults a call hangs for 10 s when Redis is down. An idle
 * connection that died is noticed after 10 s and ten unanswered keep-alives, one a second. What is asked for in one turn of
 * the event loop leaves with one write.
 */
const CONNECTION: RedisOptions = {
	enableOfflineQueue: false,
	enableAutoPipelining: true,
	autoResendUnfulfilledCommands: false,
	autoResubscribe: false,
	maxRetriesPerRequest: 0,
	connectTimeout: 1000,
	disconnectTimeout: 500,
	keepAlive: 10_000,
	retryStrategy: (attempt) => Math.min(50 * attempt, 500),
};

/**
 * ioredis hears the first error of a connection and no other. One over TLS can have two: that the certificate is not
 * accepted, and what the server says to being left. Nobody hearing the second would end the process.
 */
function hearingConnector(): Connector {
	const { default: Standalone } = require('ioredis/built/connectors/StandaloneConnector') as { default: Connector };
	function Hearing(options: unknown) {
		const connector = new Standalone(options);
		const connect = connector.connect.bind(connector);
		connector.connect = async (listener) => (await connect(listener)).on('error', () => {});
		return connector;
	}
	return Hearing as unknown as Connector;
}

type Connector = NonNullable<RedisOptions['Connector']>;

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
