import type { AccountKey } from '../contract/actions/common.ts';
import { systemClock } from '../engine/clock.ts';
import { randomBase62 } from '../engine/ids.ts';
import { RedisLink } from '../redis/redis-link.ts';
import type { FairLock, FairLockStats, Lease } from './fair-lock.ts';
import { newLease, newStats } from './lease.ts';
import { LOCK_SCRIPTS, LockKeys, type LockRedis, tokenArguments } from './lock-commands.ts';

/** Highest ms by which waiters of a dead holder come back one after the other instead of all at once. */
const JITTER = 25;

export interface RedisFairLockOptions {
	url: string;
	/** prefix of all keys and channels */
	namespace: string;
	/** lease in ms, 1 to 10,000; at least ten times as long as 99 % of what is done under it (promise L5). Default 5000 */
	ttl?: number;
	/** longest wait in ms. Default 2000 */
	maxWait?: number;
	/** ms after which Redis counts as gone. Default 50 */
	answerWithin?: number;
	/** ms for which the lock is skipped after a failure. Default 1000 */
	skipAfterFailure?: number;
	onDegraded?(reason: string): void;
	onRestored?(): void;
}

/** The lock for many processes. @throws RangeError for a `ttl` out of range */
export function redisFairLock(options: RedisFairLockOptions): FairLock {
	return new RedisFairLock(options);
}

interface Waiter {
	readonly key: AccountKey;
	readonly token: string;
	resolve(lease: Lease | undefined): void;
	readonly deadline: NodeJS.Timeout;
	comeBack?: NodeJS.Timeout;
	/** a moment by our clock, and one by the clock of Redis that was not earlier; the latter comes with the first answer */
	seen: { ours: number; redis?: number };
}

class RedisFairLock implements FairLock {
	readonly stats: FairLockStats;
	readonly #keys: LockKeys;
	readonly #link: RedisLink<LockRedis>;
	readonly #ttl: number;
	readonly #maxWait: number;
	readonly #process = randomBase62(12);
	#tokens = 0;
	#closed = false;
	readonly #waiters = new Map<string, Waiter>();
	readonly #held = new Set<string>();
	/** Tokens, with their key, that may stand in Redis though nobody here wants them; taken out when it is back. */
	readonly #owed = new Map<string, string>();

	constructor(options: RedisFairLockOptions) {
		this.#ttl = options.ttl ?? 5000;
		if (!(this.#ttl >= 1 && this.#ttl <= 10_000)) throw new RangeError('the lease must be 1 to 10,000 ms');
		this.stats = newStats(this.#ttl);
		this.#maxWait = options.maxWait ?? 2000;
		this.#keys = new LockKeys(options.namespace);
		const probe = this.#newToken();
		this.#link = new RedisLink({
			url: options.url,
			scripts: LOCK_SCRIPTS,
			listen: {
				channel: this.#keys.channel(this.#process),
				onMessage: (message) => this.#handedOver(message),
			},
			answerWithin: options.answerWithin ?? 50,
			retryAfter: options.skipAfterFailure ?? 1000,
			// A lock that nobody else wants: answered only where scripts run and writes are taken.
			probe: async (client) => {
				await client.acquire(...tokenArguments(this.#keys, `probe ${this.#process}`, probe, this.#ttl));
				await client.release(...tokenArguments(this.#keys, `probe ${this.#process}`, probe, this.#ttl));
			},
			onDown: (reason) => {
				this.stats.degraded = true;
				for (const waiter of this.#waiters.values()) this.#giveUp(waiter, 'unavailable');
				options.onDegraded?.(reason);
			},
			onUp: () => {
				this.stats.degraded = false;
				const owed = [...this.#owed];
				this.#owed.clear();
				for (const [token, key] of owed) this.#giveBack(key, token);
				options.onRestored?.();
			},
		});
	}

	acquire(key: AccountKey): Promise<Lease | undefined> {
		if (this.stats.degraded || this.#closed) {
			this.stats.lockFree.unavailable++;
			return Promise.resolve(undefined);
		}
		return new Promise((resolve) => {
			const waiter: Waiter = {
				key,
				token: this.#newToken(),
				resolve,
				deadline: setTimeout(() => this.#giveUp(waiter, 'timeout'), this.#maxWait),
				seen: { ours: systemClock.monotonic() },
			};
			// Known before it is sent: the message that hands the lock over may overtake the answer.
			this.#waiters.set(waiter.token, waiter);
			this.#stand(waiter);
		});
	}

	async inspect(key: AccountKey): Promise<{ holder: string | null; waiting: number; ttl: number }> {
		const [holder, waiting, ttl] = await this.#link.ask((client) => client.inspect(...this.#keys.of(key)));
		return { holder, waiting, ttl: Math.max(ttl, 0) };
	}

	async close(): Promise<void> {
		if (this.#closed) return;
		this.#closed = true;
		await Promise.all([...this.#waiters.values()].map((waiter) => this.#giveUp(waiter, 'unavailable')));
		this.#link.close();
	}

	/** Takes the lock or a position in line, and again when the lease of the holder should have ended. */
	async #stand(waiter: Waiter): Promise<void> {
		const { key, token } = waiter;
		const ours = systemClock.monotonic();
		try {
			const args = tokenArguments(this.#keys, key, token, this.#ttl);
			const [held, left, redis] = await this.#link.ask((client) => client.acquire(...args));
			if (!this.#waiters.has(token)) return;
			if (held) return this.#grant(waiter, ours + left);
			waiter.seen = { ours, redis: Number(redis) };
			clearTimeout(waiter.comeBack);
			waiter.comeBack = setTimeout(() => this.#stand(waiter), left + 1 + Math.random() * JITTER);
		} catch {
			this.#giveUp(waiter, 'unavailable');
		}
	}

	#handedOver(message: string): void {
		const [token = '', time, ttl, ...key] = message.split(' ');
		const waiter = this.#waiters.get(token);
		if (waiter) {
			// The message may have waited in a socket while this process was stopped, so its arrival says little.
			const { ours, redis } = waiter.seen;
			const since = redis === undefined ? ours : Math.min(ours + Number(time) - redis - 1, systemClock.monotonic());
			const expires = since + Number(ttl);
			if (expires > systemClock.monotonic()) this.#grant(waiter, expires);
			// It seems to have ended already; or else the clock of Redis was set back.
			else this.#stand(waiter);
		} else if (!this.#held.has(token)) {
			this.#giveBack(key.join(' '), token);
		}
	}

	#grant(waiter: Waiter, expires: number): void {
		const { key, token } = waiter;
		this.#forget(waiter);
		this.#held.add(token);
		this.stats.acquired++;
		waiter.resolve(newLease(key, expires, () => this.#release(key, token), this.stats));
	}

	async #release(key: string, token: string): Promise<boolean> {
		const ours = await this.#giveBack(key, token);
		this.#held.delete(token);
		return ours;
	}

	#giveUp(waiter: Waiter, reason: keyof FairLockStats['lockFree']): Promise<boolean> | undefined {
		if (!this.#waiters.has(waiter.token)) return;
		this.#forget(waiter);
		this.stats.lockFree[reason]++;
		waiter.resolve(undefined);
		return this.#giveBack(waiter.key, waiter.token);
	}

	/** Out of the lock, or out of the line; again when Redis is back, where nobody knows whether it was done. */
	async #giveBack(key: string, token: string): Promise<boolean> {
		try {
			const args = tokenArguments(this.#keys, key, token, this.#ttl);
			return (await this.#link.ask((client) => client.release(...args))) === 1;
		} catch {
			this.#owed.set(token, key);
			return false;
		}
	}

	#forget(waiter: Waiter): void {
		this.#waiters.delete(waiter.token);
		clearTimeout(waiter.deadline);
		clearTimeout(waiter.comeBack);
	}

	#newToken(): string {
		return `${this.#process}.${++this.#tokens}`;
	}
}
