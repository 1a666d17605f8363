import type { Connection, Model, QueryFilter, UpdateQuery } from 'mongoose';
import { Counter, type CounterRow, counterModel } from '../../shared/store/counter.ts';
import { insertNew } from '../../shared/store/insert-new.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { type AccountRow, accountModel, type RoleRow, roleModel } from './account.model.ts';
import { KeyStore } from './keys/key-store.ts';
import { OperatorLog } from './operators/operator-log.ts';
import { type PlanRow, planModel } from './plan.model.ts';
import { UsageStore } from './quota/usage-store.ts';

/** The collections of this service; no other service reads them. Here are the reads and writes of accounts and plans. */
export class AccountsStore {
	readonly plans: Model<PlanRow>;
	readonly roles: Model<RoleRow>;
	readonly accounts: Model<AccountRow>;
	readonly keys: KeyStore;
	readonly usage: UsageStore;
	readonly log: OperatorLog;
	/** How often accounts, keys and plans were changed. Each change is counted when it is made, before it is acknowledged. */
	readonly changes: Counter;
	readonly #counters: Model<CounterRow>;

	constructor(connection: Connection) {
		this.plans = planModel(connection);
		this.roles = roleModel(connection);
		this.accounts = accountModel(connection);
		this.keys = new KeyStore(connection);
		this.usage = new UsageStore(connection);
		this.log = new OperatorLog(connection);
		this.#counters = counterModel(connection, 'accounts_counters');
		this.changes = new Counter(this.#counters, 'changes');
	}

	/** Collections and indexes, verified: to be awaited before the service serves (promise L9). */
	prepare(): Promise<void> {
		const { plans, roles, accounts, keys, usage, log } = this;
		return prepareModels([plans, roles, accounts, keys.model, usage.model, log.model, this.#counters]);
	}

	account(account_id: string): Promise<AccountRow | null> {
		return this.accounts.findOne({ _id: account_id }).lean<AccountRow>();
	}

	/** @throws Error where there is none: plans and roles are never removed */
	async plan({ _id, package_id }: Pick<AccountRow, '_id' | 'package_id'>): Promise<PlanRow> {
		const plan = await this.plans.findOne({ _id: package_id }).lean<PlanRow>();
		if (!plan) throw new Error(`account ${_id} has no plan`);
		return plan;
	}

	/** @throws Error where there is none */
	async role({ _id, role_id }: AccountRow): Promise<RoleRow> {
		const role = await this.roles.findOne({ _id: role_id }).lean<RoleRow>();
		if (!role) throw new Error(`account ${_id} has no role`);
		return role;
	}

	/** Every plan, in the order in which they were made. */
	allPlans(): Promise<PlanRow[]> {
		return this.plans.find().sort({ _id: 1 }).lean<PlanRow[]>();
	}

	/** Accounts by id. @param after the last id before these */
	accountsAfter(after: string, limit: number): Promise<AccountRow[]> {
		const query = this.accounts.find({ _id: { $gt: after } });
		return query.sort({ _id: 1 }).limit(limit).lean<AccountRow[]>();
	}

	/** Ids of the accounts that keep their bookings for a time only. @param after the last id before these */
	async keepingForATime(after: string, limit: number): Promise<string[]> {
		const filter = { retention_days: { $gt: 0 }, _id: { $gt: after } };
		const query = this.accounts.find(filter, { _id: 1 }, { hint: 'keeps_for_a_time' });
		const found = await query.sort({ _id: 1 }).limit(limit).lean<Pick<AccountRow, '_id'>[]>();
		return found.map(({ _id }) => _id);
	}

	addAccounts(accounts: AccountRow[]): Promise<void> {
		return insertNew(this.accounts, accounts);
	}

	/** Adds the roles and plans that are not there yet. */
	async seed(roles: RoleRow[], plans: PlanRow[]): Promise<void> {
		await insertNew(this.roles, roles);
		await insertNew(this.plans, plans);
	}

	/** @returns false where the account changed since it was read: it is to be read again */
	changeAccount(asRead: AccountRow, changes: Partial<AccountRow>): Promise<boolean> {
		return changeAsRead(this.accounts, asRead, changes);
	}

	/** @returns false where the plan changed since it was read: it is to be read again */
	changePlan(asRead: PlanRow, changes: Partial<PlanRow>): Promise<boolean> {
		return changeAsRead(this.plans, asRead, changes);
	}
}

/** A row that operators change; `revision` counts the changes, and is not there before the first one. */
interface Revised {
	_id: string | number;
	revision?: number;
}

/** Changes a row if it is still as it was read. So a change that lands late, after its answer was lost, undoes no newer one. */
async function changeAsRead<Row extends Revised>(
	model: Model<Row>,
	{ _id, revision }: Revised,
	changes: Partial<Row>,
): Promise<boolean> {
	const filter = { _id, revision: revision ?? { $exists: false } } as QueryFilter<Row>;
	const change = { $set: { ...changes, revision: (revision ?? 0) + 1 } } as UpdateQuery<Row>;
	return (await model.updateOne(filter, change)).matchedCount === 1;
}
