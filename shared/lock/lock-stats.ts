/** Why somebody went on without the lock. */
export type LockFreeReason = 'timeout' | 'unavailable';

/** Counters since the start. */
export interface PlaceLockStats {
	acquired: number;
	lockFree: Record<LockFreeReason, number>;
	/** releases that came too late, or that nobody confirmed */
	lost: number;
	/** whether the lock is skipped right now, because Redis failed */
	degraded: boolean;
}

export function newStats(): PlaceLockStats {
	return { acquired: 0, lockFree: { timeout: 0, unavailable: 0 }, lost: 0, degraded: false };
}
