import { monthOf } from '../../../shared/calendar/month.ts';
import type { Principal } from '../../../shared/contract/actions.ts';
import type { Clock } from '../../../shared/engine/clock.ts';
import type { AccountRow } from '../account.model.ts';
import type { AccountsStore } from '../accounts-store.ts';
import type { PackageRow } from '../plans/plan.model.ts';
import { type UsageRow, usageKey } from '../quota/usage.model.ts';
import { hasExpired, type KeyRow } from './key.model.ts';
import type { UseRecorder } from './record-use.ts';

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
	// The account is what this look-up finds out, so it cannot be in its filter: the named exception of promise A5.
	const key = await store.keys.findOne({ hash }, {}, { everyAccount: true }).lean<KeyRow>();
	if (!key || key.revoked_at !== null || hasExpired(key, clock.now())) return null;
	const account = await store.accounts.findOne({ _id: key.account_id }).lean<AccountRow>();
	const month = monthOf(clock.now());
	const [plan, usage] = await Promise.all([
		account && store.packages.findOne({ _id: account.package_id }).lean<PackageRow>(),
		store.usage.findOne(usageKey(key.account_id, month)).select({ requests: 1 }).lean<Pick<UsageRow, 'requests'>>(),
	]);
	if (!account || !plan) throw new Error(`key ${key._id} has no account or no package`);
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
			requests: usage?.requests ?? 0,
			limit: plan.overages_enabled ? null : plan.requests_per_month,
		},
	};
}
