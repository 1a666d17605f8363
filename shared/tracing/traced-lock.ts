import type { FairLock, Lease } from '../lock/fair-lock.ts';
import type { Span, Tracing } from './tracing.ts';

/** A lock whose waits and leases are spans, one after the other, of the request that took it. */
export function tracedLock(lock: FairLock, tracing: Tracing): FairLock {
	return {
		stats: lock.stats,
		async acquire(key) {
			if (tracing.current() === undefined) return lock.acquire(key);
			const attributes = { 'slotwise.lock.key': key };
			const lease = await tracing.span('lock wait', { attributes }, async (span) => {
				const granted = await lock.acquire(key);
				span.setAttribute('slotwise.lock.granted', granted !== undefined); // else it goes on without it
				return granted;
			});
			return lease && heldDuring(tracing.start('lock hold', { attributes }), lease);
		},
		inspect: (key) => lock.inspect(key),
		close: () => lock.close(),
	};
}

/** A lease that ends a span when it is given back. */
function heldDuring(span: Span, lease: Lease): Lease {
	let released: Promise<boolean> | undefined;
	const release = async () => {
		const ours = await lease.release();
		span.setAttribute('slotwise.lock.lost', !ours).end();
		return ours;
	};
	return {
		key: lease.key,
		remaining: () => lease.remaining(),
		lasts: (ms) => lease.lasts(ms),
		release() {
			released ??= release();
			return released;
		},
	};
}
