import { systemClock } from '../clock.ts';
import type { Lease } from './place-lock.ts';

/**
 * @param expires moment of the monotonic clock, in ms, from which on the lock may be somebody else's
 * @param giveBack runs once, however often the lease is released
 */
export function newLease(key: string, expires: number, giveBack: () => Promise<boolean>): Lease {
	let released: Promise<boolean> | undefined;
	return {
		key,
		remaining: () => expires - systemClock.monotonic(),
		release: () => {
			released ??= giveBack();
			return released;
		},
	};
}
