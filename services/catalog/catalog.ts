import { LRUCache } from 'lru-cache';
import { type Caller, call } from '../../shared/bus/call.ts';
import { type AccountKey, accountKey } from '../../shared/contract/actions/common.ts';
import type { ServiceKey } from '../../shared/contract/actions.ts';
import type { Provider } from '../../shared/contract/schemas/provider.ts';
import { byAccount } from '../../shared/engine/by-account.ts';
import type { Clock } from '../../shared/engine/clock.ts';
import { Gatherer } from '../../shared/engine/gatherer.ts';
import type { KeyedQueue } from '../../shared/engine/keyed-queue.ts';
import type { Deadline } from '../../shared/work/deadline.ts';
import type { CatalogStore } from './catalog-store.ts';

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

const MAX_AGE = 5_000; // ms: a change of a plan holds everywhere within this time (contract §11)
const TIMEOUT = 3_000; // ms

interface Lookup {
	/** Monotonic ms at which it began: the provider is as old as this */
	since: number;
	provider: Promise<Provider>;
}

/** Accounts with their plans, at most 5 s old. All who ask for one meanwhile share its look-up. */
export class Providers {
	readonly #caller: Caller;
	readonly #clock: Clock;
	readonly #lookups = new LRUCache<AccountKey, Lookup>({ max: 10_000 });

	/** @param caller the broker: a look-up serves many requests, so it has the deadline of none of them */
	constructor(caller: Caller, clock: Clock) {
		this.#caller = caller;
		this.#clock = clock;
	}

	/** @throws service_unavailable, gateway_timeout */
	of(account_id: string): Promise<Provider> {
		const key = accountKey({ account_id });
		const recent = this.#lookups.get(key);
		if (recent && this.#clock.monotonic() - recent.since < MAX_AGE) return recent.provider;
		const provider = call(this.#caller, 'accounts.provider', { account_id }, { timeout: TIMEOUT });
		const lookup = { since: this.#clock.monotonic(), provider };
		this.#lookups.set(key, lookup);
		provider.catch(() => {
			if (this.#lookups.get(key) === lookup) this.#lookups.delete(key);
		});
		return provider;
	}
}

/** How many bookings of a service hold a seat, as booking counts them now. What is asked at the same moment shares calls. */
type BookingCounts = Gatherer<ServiceKey, number>;

/** @param caller the broker: a call serves several requests, so it has the deadline of none of them */
export function bookingCounts(caller: Caller): BookingCounts {
	return new Gatherer((keys) =>
		byAccount(keys, async (account_id, services) => {
			const service_ids = [...new Set(services.map(({ service_id }) => service_id))];
			const counts = await call(caller, 'booking.counts', { account_id, service_ids });
			return services.map(({ service_id }) => counts[service_id] ?? 0);
		}),
	);
}
