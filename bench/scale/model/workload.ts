import type { Kind } from '../costs.ts';

/** What a year's peak looks like. Rates are per second; shares are of all requests unless it says otherwise. */
export interface Workload {
	scale: number;
	rates: Partial<Record<Kind, number>>;
	/** Of accounts, whose size follows Zipf's law with exponent 1: the k-th largest has 1/k of the largest's load */
	accounts: number;
	/** Events a second: each creation and change makes one */
	events: number;
	/** Of requests that come from accounts whose plan has a rate */
	limited: number;
	hottest: {
		/** Of all creations and events */
		account: number;
		/** Of all creations: one slot on one date */
		slot: number;
	};
}

/** Peak rates at 1×, accounts and shares: what docs/scale.md justifies. */
export const BASE = {
	creates: 100,
	reads: { get: 500, list: 300, availability: 200 },
	changes: { confirm: 50, cancel: 10, delete: 5 },
	accounts: 10_000,
	/** Deliveries of each event, all accounts together */
	deliveriesPerEvent: 1,
	limited: 0.8,
	/** Of the hottest account's creations: an on-sale */
	slotOfAccount: 0.2,
	/** Average load over a year / peak */
	averageToPeak: 0.1,
	/** s that a webhook's endpoint takes to answer */
	endpoint: 0.1,
} as const;

/** @param scale 1 is the base; accounts grow with the load */
export function workloadAt(scale: number): Workload {
	const { creates, reads, changes, accounts, deliveriesPerEvent, limited, slotOfAccount } = BASE;
	const changed = Object.values(changes).reduce((sum, rate) => sum + rate, 0);
	const events = scale * (creates + changed);
	const account = 1 / harmonic(accounts * scale);
	const scaled = Object.entries({ create: creates, ...reads, ...changes }).map(([kind, rate]) => [kind, rate * scale]);
	return {
		scale,
		rates: { ...Object.fromEntries(scaled), delivery: events * deliveriesPerEvent },
		accounts: Math.round(accounts * scale),
		events,
		limited,
		hottest: { account, slot: account * slotOfAccount },
	};
}

/** Requests of clients a second; deliveries are none. */
export function requestsOf({ rates }: Workload): number {
	return Object.entries(rates).reduce((sum, [kind, rate]) => sum + (kind === 'delivery' ? 0 : rate), 0);
}

/** 1 + 1/2 + … + 1/n, by the asymptotic series; right to 1e-6 for n ≥ 10. */
export function harmonic(n: number): number {
	return Math.log(n) + 0.5772156649 + 1 / (2 * n) - 1 / (12 * n * n);
}

/**
 * Look-ups of keys a second: a gateway believes a key for `ttl` seconds, and knows `most` of them. A key that is used at a
 * rate r in a gateway is looked up r / (1 + r · ttl) times a second there.
 */
export function keyLookUps(workload: Workload, gateways: number, ttl: number, most: number): number {
	const perGateway = requestsOf(workload) / gateways;
	let sum = 0;
	for (let from = 1; from <= workload.accounts; ) {
		const to = Math.min(workload.accounts + 1, Math.max(from + 1, Math.floor(from * 1.05))); // ranks of about one size
		const rate = (perGateway * workload.hottest.account) / ((from + to - 1) / 2);
		sum += (to - from) * (from > most ? rate : rate / (1 + rate * ttl));
		from = to;
	}
	return sum * gateways;
}
