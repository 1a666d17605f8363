import type { Lease } from '../../../shared/lock/fair-lock.ts';

/** ms that must be left of a lease for a write under it: far more than a write takes, less than half of a lease */
export const ENOUGH = 2_000;
/** ms for the answer's way back */
const MARGIN = 100;

/**
 * The store gives a write up before its lease ends, so that no write outlives the lock that orders it (promise L5). One
 * write may carry claims of several occurrences: it ends before the first of their leases does. A lease with less than 2 s
 * left is given back at once; its claim is then written without the lock, and without a limit. The unique indexes decide.
 * To be asked for when the write is sent.
 * @param leases of everything that the write contains; undefined for what has none
 * @returns options of the write
 */
export function writeLimit(leases: readonly (Lease | undefined)[]): { maxTimeMS?: number } {
	let shortest = Number.POSITIVE_INFINITY;
	for (const lease of new Set(leases)) {
		if (lease?.lasts(ENOUGH)) shortest = Math.min(shortest, lease.remaining());
	}
	return shortest === Number.POSITIVE_INFINITY ? {} : { maxTimeMS: Math.floor(shortest) - MARGIN };
}
