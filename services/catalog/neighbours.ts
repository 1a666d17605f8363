import { LRUCache } from 'lru-cache';
import { type Caller, call } from '../../shared/bus/call.ts';
import { type AccountKey, accountKey } from '../../shared/contract/account-key.ts';
import type { ServiceKey } from '../../shared/contract/actions.ts';
import type { Provider } from '../../shared/contract/schemas/provider.ts';
import { byAccount } from '../../shared/engine/by-account.ts';
import type { Clock } from '../../shared/engine/clock.ts';
import { Gatherer } from '../../shared/engine/gatherer.ts';

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
export type BookingCounts = Gatherer<ServiceKey, number>;

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
