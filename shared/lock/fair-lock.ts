import type { AccountKey } from '../contract/actions/common.ts';
import type { HoldTimes } from './hold-times.ts';

/**
 * The lock per account, slot and date. It is for order and speed only: the unique indexes of the database are what makes a
 * booking correct, so whoever gets no lease goes on without one.
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

/** A lease on one account's slot and date. */
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

/** Why somebody went on without the lock. */
export type LockFreeReason = 'timeout' | 'unavailable';

/** Counters since the start. */
export interface FairLockStats {
	acquired: number;
	lockFree: Record<LockFreeReason, number>;
	/** leases of which too little was left for the write, releases that came too late or that nobody confirmed */
	lost: number;
	/** for how long leases were held */
	readonly held: HoldTimes;
	/** ms for which a lease is given; ≥ 10 × the p99 of `held` (promise L5) */
	readonly ttl: number;
	/** whether the lock is skipped right now, because Redis failed */
	degraded: boolean;
}
