import type { Config } from '../../../shared/config/config.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import { CannotStart } from '../../../shared/process/cannot-start.ts';
import { hashApiKey } from '../../../shared/secrets/api-key.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { ALL_SCOPES, addAccounts, derivedId, newAccount, newKey } from '../add-accounts.ts';
import type { PackageRow } from '../plans/plan.model.ts';

/**
 * Adds each key of `BOOTSTRAP_KEYS` that is not known yet, with an account of its own. A key that was ever known stays as
 * it is: a revoked one stays revoked.
 * @throws CannotStart where a new key names a package that does not exist
 */
export async function addBootstrapKeys(
	store: AccountsStore,
	clock: Clock,
	given: Config['bootstrapKeys'],
): Promise<void> {
	const wanted = given.map((each) => ({ hash: hashApiKey(each.key), package: each.package }));
	const known = await knownHashes(
		store,
		wanted.map(({ hash }) => hash),
	);
	const missing = wanted.filter(({ hash }) => !known.has(hash));
	if (missing.length === 0) return;
	const packages = await store.packages.find().sort({ _id: 1 }).lean<PackageRow[]>();
	const now = timestamp(clock.now());
	const added = missing.map(({ hash, package: packageName }) => {
		const _id = derivedId('acc', hash);
		const account = newAccount({ _id, name: _id, email: null, package: packageNamed(packages, packageName), now });
		const key = newKey({ account_id: _id, hash, name: 'bootstrap', scopes: ALL_SCOPES, expires_at: null, now });
		return { account, key };
	});
	const accounts = added.map(({ account }) => account);
	const keys = added.map(({ key }) => key);
	await addAccounts(store, { accounts, keys }, 'bootstrap');
}

/** The keys may be anybody's, for their accounts are not known yet: one of the named exceptions of promise A5. */
async function knownHashes(store: AccountsStore, hashes: string[]): Promise<Set<string>> {
	const found = await store.keys
		.find({ hash: { $in: hashes } }, { hash: 1 }, { everyAccount: true })
		.lean<{ hash: string }[]>();
	return new Set(found.map(({ hash }) => hash));
}

function packageNamed(packages: PackageRow[], name: string): PackageRow {
	const found = packages.find((each) => each.name === name);
	if (found) return found;
	const names = packages.map((each) => each.name).join(', ');
	throw new CannotStart(`BOOTSTRAP_KEYS names the package "${name}", which is none of ${names}.`);
}
