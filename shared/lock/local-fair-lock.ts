import type { AccountKey } from '../contract/actions/common.ts';
import { systemClock } from '../engine/clock.ts';
import type { FairLock, FairLockStats, Lease } from './fair-lock.ts';
import { newLease, newStats } from './lease.ts';

interface Waiter {
	resolve(lease: Lease | undefined): void;
	deadline?: NodeJS.Timeout;
}

interface Holder {
	token: string;
	expires: number;
}

interface Line {
	holder: Holder | undefined;
	readonly queue: Waiter[];
	/** runs while somebody waits; a holder that nobody waits for needs no timer */
	expiry?: NodeJS.Timeout;
}

/**
 * The lock of a single process: same order, same limits, no Redis.
 * @param ttl lease in ms. Default 5000
 * @param maxWait longest wait in ms. Default 2000
 */
export function localFairLock({ ttl = 5000, maxWait = 2000 } = {}): FairLock {
	return new LocalFairLock(ttl, maxWait);
}

class LocalFairLock implements FairLock {
	readonly stats: FairLockStats;
	readonly #ttl: number;
	readonly #maxWait: number;
	/** only lines that are held or waited for */
	readonly #lines = new Map<AccountKey, Line>();
	#tokens = 0;
	#closed = false;

	constructor(ttl: number, maxWait: number) {
		this.stats = newStats(ttl);
		this.#ttl = ttl;
		this.#maxWait = maxWait;
	}

	acquire(key: AccountKey): Promise<Lease | undefined> {
		if (this.#closed) {
			this.stats.lockFree.unavailable++;
			return Promise.resolve(undefined);
		}
		const line = this.#lines.get(key) ?? { holder: undefined, queue: [] };
		this.#lines.set(key, line);
		return new Promise((resolve) => {
			const waiter: Waiter = { resolve };
			line.queue.push(waiter);
			this.#serve(key, line);
			if (line.queue.includes(waiter)) waiter.deadline = setTimeout(() => this.#giveUp(line, waiter), this.#maxWait);
		});
	}

	async inspect(key: AccountKey): Promise<{ holder: string | null; waiting: number; ttl: number }> {
		const line = this.#lines.get(key);
		const left = (line?.holder?.expires ?? 0) - systemClock.monotonic();
		const holder = left > 0 ? (line?.holder?.token ?? null) : null;
		return { holder, waiting: line?.queue.length ?? 0, ttl: holder ? Math.ceil(left) : 0 };
	}

	async close(): Promise<void> {
		this.#closed = true;
		for (const line of this.#lines.values()) {
			clearTimeout(line.expiry);
			for (const waiter of line.queue.splice(0)) {
				clearTimeout(waiter.deadline);
				this.stats.lockFree.unavailable++;
				waiter.resolve(undefined);
			}
		}
	}

	/** Gives the line to the next in line, unless somebody holds it. */
	#serve(key: AccountKey, line: Line): void {
		const now = systemClock.monotonic();
		clearTimeout(line.expiry);
		if (line.holder && line.holder.expires > now) {
			if (line.queue.length > 0) this.#watch(key, line, line.holder.expires - now);
			return;
		}
		line.holder = undefined;
		const next = line.queue.shift();
		if (!next) {
			this.#lines.delete(key);
			return;
		}
		clearTimeout(next.deadline);
		const holder = { token: String(++this.#tokens), expires: now + this.#ttl };
		line.holder = holder;
		if (line.queue.length > 0) this.#watch(key, line, this.#ttl);
		this.stats.acquired++;
		next.resolve(newLease(key, holder.expires, () => this.#release(key, line, holder), this.stats));
	}

	#watch(key: AccountKey, line: Line, left: number): void {
		line.expiry = setTimeout(() => this.#serve(key, line), left + 1);
	}

	async #release(key: AccountKey, line: Line, holder: Holder): Promise<boolean> {
		const ours = line.holder === holder && holder.expires > systemClock.monotonic();
		if (line.holder === holder) {
			line.holder = undefined;
			this.#serve(key, line);
		}
		return ours;
	}

	#giveUp(line: Line, waiter: Waiter): void {
		line.queue.splice(line.queue.indexOf(waiter), 1);
		this.stats.lockFree.timeout++;
		waiter.resolve(undefined);
	}
}
