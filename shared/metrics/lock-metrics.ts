import type { AccountKey } from '../contract/actions/common.ts';
import { Durations } from '../engine/durations.ts';
import type { FairLock, Lease } from '../lock/fair-lock.ts';
import type { Metrics } from './metrics.ts';

const NONE = {};

/**
 * The lock per account, slot and date, as this process sees it (promise L5).
 * @returns the lock, whose waits are measured
 */
export function measuredLock(lock: FairLock, metrics: Metrics): FairLock {
	const { stats } = lock;
	const waits = new Durations();
	metrics.counter('lock_acquired_total', 'Leases that were granted', () => stats.acquired);
	metrics.counter('lock_free_total', 'Batches that went on without the lock, by why', () =>
		Object.entries(stats.lockFree).map(([reason, value]) => ({ labels: { reason }, value })),
	);
	metrics.counter('lock_lost_total', 'Leases that ended before their holder was done', () => stats.lost);
	metrics.gauge('lock_degraded', '1 while the lock is skipped, because Redis does not answer', () =>
		Number(stats.degraded),
	);
	metrics.gauge('lock_ttl_seconds', 'For how long a lease is given', () => stats.ttl / 1000);
	metrics.histogram('lock_wait_seconds', 'From asking for a lease to having it, or going on without', () => [
		{ labels: NONE, of: waits },
	]);
	metrics.histogram('lock_hold_seconds', 'For how long a lease was held: the critical section', () => [
		{ labels: NONE, of: stats.held },
	]);
	return {
		stats,
		async acquire(key: AccountKey): Promise<Lease | undefined> {
			const begin = performance.now();
			const lease = await lock.acquire(key);
			waits.observe(performance.now() - begin);
			return lease;
		},
		inspect: (key) => lock.inspect(key),
		close: () => lock.close(),
	};
}
