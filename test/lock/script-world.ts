import { Redis } from 'ioredis';
import { LOCK_SCRIPTS, LockKeys, type LockRedis, tokenArguments } from '../../shared/lock/lock-commands.ts';

const PLACE = '7:2030-01-07';
const TTL = 10_000;

interface Client {
	readonly token: string;
	/** what the client believes: one that holds may have lost its lease, one that waits may have been promoted */
	state: 'waits' | 'holds';
}

/**
 * Some processes at one place, driven step by step against the scripts in a real Redis. A message stays under way until
 * a step delivers it. After each step Redis is compared with what the lock promises, and a difference is thrown.
 */
export class ScriptWorld {
	readonly #redis: LockRedis;
	readonly #listener: Redis;
	readonly #keys = new LockKeys('model');
	#alive = new Set<string>();
	#clients: Client[] = [];
	/** messages that the last step sent, and those that are under way */
	readonly #sent: string[] = [];
	#inbox: string[] = [];
	/** who must hold the lock, and who of the living must stand in line, in order of arrival */
	#holder: string | null = null;
	#line: string[] = [];
	#tokens = 0;

	constructor(url: string) {
		this.#redis = new Redis(url, { lazyConnect: true, scripts: LOCK_SCRIPTS }) as LockRedis;
		this.#listener = new Redis(url, { lazyConnect: true });
		this.#listener.on('message', (_channel, message: string) => this.#sent.push(message.split(' ')[0]!));
	}

	/** Before anything else: a subscription that overtakes ioredis' own check of the connection would end it. */
	async connect(): Promise<void> {
		await this.#redis.connect();
		await this.#listener.connect();
	}

	async reset(processes: string[]): Promise<void> {
		await this.#redis.flushall();
		await this.#listener.unsubscribe();
		await this.#listener.subscribe(...processes.map((process) => this.#keys.channel(process)));
		this.#alive = new Set(processes);
		this.#clients = [];
		this.#inbox = [];
		this.#line = [];
		this.#holder = null;
	}

	close(): void {
		this.#redis.disconnect();
		this.#listener.disconnect();
	}

	count(state: Client['state']): number {
		return this.#in(state).length;
	}

	async arrive(process: string): Promise<void> {
		if (!this.#alive.has(process)) return;
		const client: Client = { token: `${process}.${++this.#tokens}`, state: 'waits' };
		this.#clients.push(client);
		await this.#acquire(client);
	}

	/** A waiter's timer fires. */
	async comeBack(n: number): Promise<void> {
		const client = pick(this.#in('waits'), n);
		if (client) await this.#acquire(client);
	}

	async giveUp(n: number): Promise<void> {
		const client = pick(this.#in('waits'), n);
		if (client) await this.#giveBack(client.token);
	}

	async release(n: number): Promise<void> {
		const client = pick(this.#in('holds'), n);
		if (client) await this.#giveBack(client.token);
	}

	/** The oldest message arrives. A process gives back what it does not want. */
	async deliver(): Promise<void> {
		const token = this.#inbox.shift();
		if (!token || !this.#alive.has(processOf(token))) return;
		const client = this.#clients.find((other) => other.token === token);
		if (client) client.state = 'holds';
		else await this.#giveBack(token);
	}

	/** The lease of the holder ends. */
	async expire(): Promise<void> {
		await this.#redis.del(this.#keys.of(PLACE)[0]);
		this.#holder = null;
	}

	async flush(): Promise<void> {
		await this.#redis.flushall();
		this.#holder = null;
		this.#line = [];
	}

	async kill(process: string): Promise<void> {
		this.#alive.delete(process);
		await this.#listener.unsubscribe(this.#keys.channel(process));
		this.#clients = this.#clients.filter(({ token }) => processOf(token) !== process);
		this.#line = this.#line.filter((token) => processOf(token) !== process);
	}

	async #acquire(client: Client): Promise<void> {
		const { token } = client;
		if (this.#holder !== token && !this.#line.includes(token)) this.#line.push(token);
		this.#holder ??= this.#line.shift() ?? null;
		const [held] = await this.#redis.acquire(...this.#arguments(token));
		if (held) client.state = 'holds';
		check('acquire answers', held, this.#holder === token ? 1 : 0);
		await this.#compare(token);
	}

	async #giveBack(token: string): Promise<void> {
		this.#forget(token);
		this.#line = this.#line.filter((other) => other !== token);
		const ours = this.#holder === token;
		if (ours || this.#holder === null) this.#holder = this.#line.shift() ?? null;
		check('release answers', await this.#redis.release(...this.#arguments(token)), ours ? 1 : 0);
		await this.#compare(token);
	}

	/** One holder, nobody lost from the line, nobody before those who came earlier, and whoever is next was told. */
	async #compare(caller: string): Promise<void> {
		const [holder, queue] = this.#keys.of(PLACE);
		check('the holder is', await this.#redis.get(holder), this.#holder);
		if (this.#holder) check('the lease ends', (await this.#redis.pttl(holder)) > 0, true);
		const line = await this.#redis.lrange(queue, 0, -1);
		check(
			'the line is',
			line.filter((token) => this.#alive.has(processOf(token))),
			this.#line,
		);
		await this.#listener.ping(); // its answer comes after the messages of the script
		const told = this.#sent.splice(0);
		check('at most one is told', told.length <= 1, true);
		for (const token of told) check('the holder is told', token, this.#holder);
		this.#inbox.push(...told);
		const knows = !this.#holder || this.#holder === caller || this.#inbox.includes(this.#holder) || this.#isHeld();
		check('the holder knows or will hear', knows || !this.#alive.has(processOf(this.#holder!)), true);
	}

	#isHeld(): boolean {
		return this.#in('holds').some(({ token }) => token === this.#holder);
	}

	#in(state: Client['state']): Client[] {
		return this.#clients.filter((client) => client.state === state);
	}

	#forget(token: string): void {
		this.#clients = this.#clients.filter((client) => client.token !== token);
	}

	#arguments(token: string) {
		return tokenArguments(this.#keys, PLACE, token, TTL);
	}
}

function processOf(token: string): string {
	return token.split('.')[0]!;
}

function pick<T>(from: T[], n: number): T | undefined {
	return from[n % from.length];
}

function check(what: string, is: unknown, expected: unknown): void {
	if (JSON.stringify(is) !== JSON.stringify(expected)) {
		throw new Error(`${what} ${JSON.stringify(is)} instead of ${JSON.stringify(expected)}`);
	}
}
