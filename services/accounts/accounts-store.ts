import type { Connection, Model } from 'mongoose';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { type AccountRow, accountModel } from './account.model.ts';
import { type KeyRow, keyModel } from './keys/key.model.ts';
import { type AuditRow, auditModel } from './operators/operator-log.model.ts';
import { type PackageRow, packageModel } from './plans/plan.model.ts';
import { type UsageRow, usageModel } from './quota/usage.model.ts';
import { type RoleRow, roleModel } from './role.model.ts';

/** The collections of this service; no other service reads them. */
export interface AccountsStore {
	packages: Model<PackageRow>;
	roles: Model<RoleRow>;
	accounts: Model<AccountRow>;
	keys: Model<KeyRow>;
	usage: Model<UsageRow>;
	audit: Model<AuditRow>;
}

export function accountsStore(connection: Connection): AccountsStore {
	return {
		packages: packageModel(connection),
		roles: roleModel(connection),
		accounts: accountModel(connection),
		keys: keyModel(connection),
		usage: usageModel(connection),
		audit: auditModel(connection),
	};
}

/** Collections and indexes, verified: to be awaited before the service serves (promise L9). */
export function prepareAccountsStore(store: AccountsStore): Promise<void> {
	return prepareModels(Object.values(store));
}
