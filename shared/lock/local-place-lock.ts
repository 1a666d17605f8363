import type { AccountKey } from '../contract/account-key.ts';
import { systemClock } from '../engine/clock.ts';
import { newLease } from './lease.ts';
import { newStats, type PlaceLockStats } from './lock-stats.ts';
import type { Lease, PlaceLock } from './place-lock.ts';

interface Waiter {
	settle(lease: Lease | undefined): void;
	deadline?: NodeJS.Timeout;
}

interface Holder {
	token: string;
	expires: number;
}

interface Place {
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
export function localPlaceLock({ ttl = 5000, maxWait = 2000 } = {}): PlaceLock {
	return new LocalPlaceLock(ttl, maxWait);
}

class LocalPlaceLock implements PlaceLock {
	readonly stats: PlaceLockStats;
	readonly #ttl: number;
	readonly #maxWait: number;
	/** only places that are held or waited for */
	readonly #places = new Map<AccountKey, Place>();
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
		const place = this.#places.get(key) ?? { holder: undefined, queue: [] };
		this.#places.set(key, place);
		return new Promise((settle) => {
			const waiter: Waiter = { settle };
			place.queue.push(waiter);
			this.#serve(key, place);
			if (place.queue.includes(waiter)) waiter.deadline = setTimeout(() => this.#giveUp(place, waiter), this.#maxWait);
		});
	}

	async inspect(key: AccountKey): Promise<{ holder: string | null; waiting: number; ttl: number }> {
		const place = this.#places.get(key);
		const left = (place?.holder?.expires ?? 0) - systemClock.monotonic();
		const holder = left > 0 ? (place?.holder?.token ?? null) : null;
		return { holder, waiting: place?.queue.length ?? 0, ttl: holder ? Math.ceil(left) : 0 };
	}

	async close(): Promise<void> {
		this.#closed = true;
		for (const place of this.#places.values()) {
			clearTimeout(place.expiry);
			for (const waiter of place.queue.splice(0)) {
				clearTimeout(waiter.deadline);
				this.stats.lockFree.unavailable++;
				waiter.settle(undefined);
			}
		}
	}

	/** Gives the place to the next in line, unless somebody holds it. */
	#serve(key: AccountKey, place: Place): void {
		const now = systemClock.monotonic();
		clearTimeout(place.expiry);
		if (place.holder && place.holder.expires > now) {
			if (place.queue.length > 0) this.#watch(key, place, place.holder.expires - now);
			return;
		}
		place.holder = undefined;
		const next = place.queue.shift();
		if (!next) {
			this.#places.delete(key);
			return;
		}
		clearTimeout(next.deadline);
		const holder = { token: String(++this.#tokens), expires: now + this.#ttl };
		place.holder = holder;
		if (place.queue.length > 0) this.#watch(key, place, this.#ttl);
		this.stats.acquired++;
		next.settle(newLease(key, holder.expires, () => this.#release(key, place, holder), this.stats));
	}

	#watch(key: AccountKey, place: Place, left: number): void {
		place.expiry = setTimeout(() => this.#serve(key, place), left + 1);
	}

	async #release(key: AccountKey, place: Place, holder: Holder): Promise<boolean> {
		const ours = place.holder === holder && holder.expires > systemClock.monotonic();
		if (place.holder === holder) {
			place.holder = undefined;
			this.#serve(key, place);
		}
		return ours;
	}

	#giveUp(place: Place, waiter: Waiter): void {
		place.queue.splice(place.queue.indexOf(waiter), 1);
		this.stats.lockFree.timeout++;
		waiter.settle(undefined);
	}
}
