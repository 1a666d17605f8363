import type { AccountKey } from '../contract/actions/common.ts';
import type { HoldTimes } from './hold-times.ts';

/**
 * A lock for order and speed only: the unique indexes of the database are what makes a write correct, so whoever gets no
 * lease goes on without one.
 */
export interface FairLock {
	/**
	 * Waits in order of arrival. Never rejects, never takes longer than `maxWait` + 100 ms; ≤ 100 ms when Redis is gone.
	 * @returns `undefined`: go on WITHOUT the lock, for the wait was too long, Redis did not answer in time, or it failed
	 * within the last second
	 */
	acquire(key: AccountKey): Promise<Lease | undefined>;
	/**
	 * For the operator: token of the holder, how many wait, and what is left of the lease in ms (0 without a holder).
	 * Rejects where Redis does not answer.
	 */
	inspect(key: AccountKey): Promise<{ holder: string | null; waiting: number; ttl: number }>;
	readonly stats: Readonly<FairLockStats>;
	/** Sends all waiters on without the lock. Leases that are held run out by themselves. */
	close(): Promise<void>;
}

export interface Lease {
	readonly key: AccountKey;
	/** ms left by a monotonic clock; ≤ 0 when it may have been lost. Never more than what the lock's store would say. */
	remaining(): number;
	/**
	 * Whether at least `ms` are left of it. Where they are not, it is lost: it is given back at once, and its holder goes on
	 * WITHOUT the lock.
	 */
	lasts(ms: number): boolean;
	/**
	 * Gives the lock to the next in line. Never rejects.
	 * @returns true when the lease was still ours; false when it had been lost, or when nobody could tell
	 */
	release(): Promise<boolean>;
}

/** Counters since the start. */
export interface FairLockStats {
	acquired: number;
	/** by why somebody went on without the lock */
	lockFree: Record<'timeout' | 'unavailable', number>;
	/** leases of which too little was left for the write, releases that came too late or that nobody confirmed */
	lost: number;
	/** for how long leases were held */
	readonly held: HoldTimes;
	/** ms for which a lease is given */
	readonly ttl: number;
	/** whether the lock is skipped right now, because Redis failed */
	degraded: boolean;
}
