import { HoldTimes } from './hold-times.ts';

/** Why somebody went on without the lock. */
export type LockFreeReason = 'timeout' | 'unavailable';

/** Counters since the start. */
export interface PlaceLockStats {
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

/** @param ttl lease in ms */
export function newStats(ttl: number): PlaceLockStats {
	return {
		acquired: 0,
		lockFree: { timeout: 0, unavailable: 0 },
		lost: 0,
		held: new HoldTimes(),
		ttl,
		degraded: false,
	};
}
