import type { Lease } from '../../../shared/lock/fair-lock.ts';

/** ms that must be left of a lease for a write under it: far more than a write takes, less than half of a lease */
export const ENOUGH = 2_000;
/** ms for the answer's way back */
const MARGIN = 100;

/**
 * A write under a lease ends before the lease does (promise L5): the store is told to give it up then. To be asked for when
 * the write is sent. A lease that has not enough left is lost: it goes to the next in line at once, and the write goes on
 * without the lock, and without its limit; the unique indexes decide.
 * @param leases of everything that the write contains; undefined for what has none
 * @returns options of the write
 */
export function writeLimit(leases: readonly (Lease | undefined)[]): { maxTimeMS?: number } {
	const lasting = new Set(leases.filter((lease) => lease !== undefined).filter((lease) => lease.lasts(ENOUGH)));
	if (lasting.size === 0) return {};
	return { maxTimeMS: Math.floor(Math.min(...[...lasting].map((lease) => lease.remaining()))) - MARGIN };
}
