import type { Caller } from '../../shared/bus/call.ts';
import type { KeyedQueue } from '../../shared/engine/keyed-queue.ts';
import type { Deadline } from '../../shared/work/deadline.ts';
import type { CatalogStore } from './catalog-store.ts';
import type { BookingCounts, Providers } from './neighbours.ts';

/** What the use cases of catalog work with. */
export interface Catalog {
	store: CatalogStore;
	providers: Providers;
	bookingCounts: BookingCounts;
	/** Creations under one Idempotency-Key queue here, so that the later one finds the first one's answer. */
	keyed: KeyedQueue;
	/** Creations of an account whose plan has a limit queue here for their allotment, by account. */
	allotting: KeyedQueue;
	/** Changes of one service queue here, by `serviceKey`, so that compare-and-set contends with processes, not with clients. */
	changes: KeyedQueue;
	/** Bulk updates queue here, by account, for the same reason. */
	slotUpdates: KeyedQueue;
}

/** One request: its calls of other services carry its request id and what is left of its time. */
export interface Request {
	caller: Caller;
	deadline: Deadline;
}
