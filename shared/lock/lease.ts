import type { AccountKey } from '../contract/account-key.ts';
import { systemClock } from '../engine/clock.ts';
import type { PlaceLockStats } from './lock-stats.ts';
import type { Lease } from './place-lock.ts';

/**
 * @param expires moment of the monotonic clock, in ms, from which on the lock may be somebody else's
 * @param giveBack runs once, however often the lease is released; whether it was ours until then
 * @param stats get how long it was held, and whether it was lost
 */
export function newLease(
	key: AccountKey,
	expires: number,
	giveBack: () => Promise<boolean>,
	stats: PlaceLockStats,
): Lease {
	const granted = systemClock.monotonic();
	let isLost = false;
	let released: Promise<boolean> | undefined;
	const remaining = () => expires - systemClock.monotonic();
	const lose = () => {
		if (!isLost) stats.lost++;
		isLost = true;
	};
	const release = async () => {
		stats.held.observe(systemClock.monotonic() - granted);
		const ours = await giveBack();
		if (!ours) lose();
		return ours;
	};
	return {
		key,
		remaining,
		lasts(ms) {
			if (released === undefined && remaining() >= ms) return true;
			if (released === undefined) {
				lose();
				released = release();
			}
			return false;
		},
		release() {
			released ??= release();
			return released;
		},
	};
}
