import type { Config } from '../../../shared/config/config.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import type { Logger } from '../../../shared/log/log.ts';
import { CannotStart } from '../../../shared/process/cannot-start.ts';
import { createApiKey, hashApiKey } from '../../../shared/secrets/api-key.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { ALL_SCOPES, addAccounts, derivedId, newAccount, newKey } from '../add-accounts.ts';
import type { PlanRow } from '../plan.model.ts';

const DEMO_ACCOUNT = 'acc_demo';
const DEMO_KEY = 'key_demo';
const DEMO_PLAN = 'Developer';

/**
 * Adds each key of `BOOTSTRAP_KEYS` that is not known yet, with an account of its own. A key that was ever known stays as
 * it is: a revoked key stays revoked.
 * @throws CannotStart where a new key names a plan that does not exist
 */
export async function addBootstrapKeys(
	store: AccountsStore,
	clock: Clock,
	given: Config['bootstrapKeys'],
): Promise<void> {
	const wanted = given.map((each) => ({ hash: hashApiKey(each.key), planName: each.package }));
	const known = await store.keys.known(wanted.map(({ hash }) => hash));
	const missing = wanted.filter(({ hash }) => !known.has(hash));
	if (missing.length === 0) return;
	const plans = await store.allPlans();
	const now = timestamp(clock.now());
	const added = missing.map(({ hash, planName }) => {
		const _id = derivedId('acc', hash);
		const account = newAccount({ _id, name: _id, email: null, plan: planNamed(plans, planName), now });
		const key = newKey({ account_id: _id, hash, name: 'bootstrap', scopes: ALL_SCOPES, expires_at: null, now });
		return { account, key };
	});
	const accounts = added.map(({ account }) => account);
	const keys = added.map(({ key }) => key);
	await addAccounts(store, { accounts, keys }, { actor: 'bootstrap' });
}

function planNamed(plans: PlanRow[], name: string): PlanRow {
	const found = plans.find((plan) => plan.name === name);
	if (found) return found;
	const names = plans.map((plan) => plan.name).join(', ');
	throw new CannotStart(`BOOTSTRAP_KEYS names the package "${name}", which is none of ${names}.`);
}

/**
 * Adds a demo account with a key where the store has no key at all. Of processes that start together, one wins, because
 * the key's `_id` is fixed.
 * @returns the key, to be shown once and stored nowhere; undefined where there was one, or where another process won
 */
export async function addDemoKey(store: AccountsStore, clock: Clock): Promise<string | undefined> {
	if ((await store.keys.firstIds(1)).length > 0) return undefined;
	const plan = (await store.allPlans()).find(({ name }) => name === DEMO_PLAN);
	if (!plan) throw new CannotStart(`There is no package "${DEMO_PLAN}" for a demo account; set BOOTSTRAP_KEYS.`);
	const apiKey = createApiKey();
	const hash = hashApiKey(apiKey);
	const now = timestamp(clock.now());
	const account = newAccount({ _id: DEMO_ACCOUNT, name: 'Demo', email: null, plan, now });
	const key = newKey({ account_id: DEMO_ACCOUNT, hash, name: 'demo', scopes: ALL_SCOPES, expires_at: null, now });
	await addAccounts(store, { accounts: [account], keys: [{ ...key, _id: DEMO_KEY }] }, { actor: 'bootstrap' });
	const winner = await store.keys.byId(DEMO_KEY);
	return winner?.hash === hash ? apiKey : undefined;
}

/** At a start without a new demo key, for whoever has none: where there is no key yet, or only a demo account's, shown once. */
export async function sayHowToGetAKey(store: AccountsStore, logger: Logger): Promise<void> {
	const ids = await store.keys.firstIds(2);
	if (ids.length === 0) {
		logger.info('there is no API key yet: `accounts create` and `keys create` of the command line make one');
	} else if (ids.length === 1 && ids[0] === DEMO_KEY) {
		const command = `keys create ${DEMO_ACCOUNT} --name second`;
		logger.info(
			{ command },
			'the demo key was shown at its first start only; where it is lost, this command makes another',
		);
	}
}
