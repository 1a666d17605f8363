import { monthOf } from '../../../shared/calendar/plain-date.ts';
import type { Principal } from '../../../shared/contract/actions.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import { type Logger, logFailure } from '../../../shared/log/log.ts';
import { withoutDeadline } from '../../../shared/work/deadline.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { usageKey } from '../quota/usage-store.ts';
import { hasExpired, type KeyRow, type KeyStore } from './key-store.ts';

/** ms between two writes of when a key was last used */
const INTERVAL = 60_000;

/**
 * Who a key belongs to, as the store has it now: gateways keep the answer for up to 5 s, so nothing is kept here.
 * @param hash SHA-256 of the key, hex
 * @returns null where the key is unknown, revoked or expired; all three cost the same single look-up
 */
export async function verifyKey(
	store: AccountsStore,
	clock: Clock,
	uses: UseRecorder,
	hash: string,
): Promise<Principal | null> {
	const key = await store.keys.byHash(hash);
	if (!key || key.revoked_at !== null || hasExpired(key, clock.now())) return null;
	const account = await store.account(key.account_id);
	if (!account) throw new Error(`key ${key._id} has no account`);
	const month = monthOf(clock.now());
	const row = usageKey(key.account_id, month);
	const [plan, requests] = await Promise.all([store.plan(account), store.usage.requestsOf([row])]);
	uses.record(key);
	return {
		account_id: key.account_id,
		key_id: key._id,
		scopes: key.scopes,
		expires_at: key.expires_at === null ? null : Date.parse(key.expires_at),
		suspended: account.suspended_at !== null,
		package: { name: plan.name, rate: plan.rate_limit_per_second, burst: plan.burst },
		quota: {
			month,
			requests: requests.get(row._id) ?? 0,
			limit: plan.overages_enabled ? null : plan.requests_per_month,
		},
	};
}

/** Writes when a key was last used: beside the request that used it, never delaying or failing it. */
export class UseRecorder {
	readonly #keys: KeyStore;
	readonly #clock: Clock;
	readonly #logger: Logger;
	readonly #underWay = new Map<string, Promise<void>>();

	constructor(keys: KeyStore, clock: Clock, logger: Logger) {
		this.#keys = keys;
		this.#clock = clock;
		this.#logger = logger;
	}

	/**
	 * At most one write a minute and key, over all processes (promise A3): the write asks for the time that was read.
	 * @param key as it was read just now
	 */
	record(key: KeyRow): void {
		const now = this.#clock.now();
		const last = key.last_used_at === null ? Number.NEGATIVE_INFINITY : Date.parse(key.last_used_at);
		if (now - last < INTERVAL || this.#underWay.has(key._id)) return;
		const key_id = key._id;
		const written = withoutDeadline(() => this.#keys.used(key, timestamp(now)))
			.catch((error: unknown) => logFailure(this.#logger, error, 'last use of a key not recorded', { key_id }))
			.finally(() => this.#underWay.delete(key_id));
		this.#underWay.set(key_id, written);
	}

	/** Waits for the writes that are under way. */
	async settled(): Promise<void> {
		await Promise.all(this.#underWay.values());
	}
}
