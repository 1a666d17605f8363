import { type Connection, type Model, Schema } from 'mongoose';
import type { AccountReport } from '../../shared/contract/account-reports.ts';
import type { Package, Provider, Role } from '../../shared/contract/schemas/provider.ts';
import { schemaOptions } from '../../shared/store/schema-options.ts';

/** A provider. It is its own account, so its `_id` is in every filter and the account scope has nothing to add. */
export interface AccountRow extends Omit<Provider, 'id' | 'role' | 'package'> {
	/** `acc_…` */
	_id: string;
	/** When an operator suspended it; null: not suspended */
	suspended_at: string | null;
	/** How often operators changed it */
	revision?: number;
}

const optional = { type: String, default: null };

const accountSchema = new Schema<AccountRow>(
	{
		_id: { type: String, required: true },
		name: { type: String, required: true },
		email: optional,
		phone: optional,
		avatar: optional,
		is_verified: { type: Boolean, required: true },
		role_id: { type: Number, required: true },
		package_id: { type: Number, required: true },
		payment_customer_id: optional,
		subscription_status: { type: String, required: true },
		suspended_at: optional,
		revision: Number,
		created_at: { type: String, required: true },
		updated_at: { type: String, required: true },
	},
	schemaOptions,
);

export function accountModel(connection: Connection): Model<AccountRow> {
	return connection.model<AccountRow>('Account', accountSchema, 'accounts');
}

/** What the API shows of an account. */
export function toProvider(account: AccountRow, role: Role, plan: Package): Provider {
	return {
		id: account._id,
		name: account.name,
		email: account.email,
		phone: account.phone,
		avatar: account.avatar,
		is_verified: account.is_verified,
		role_id: account.role_id,
		role,
		package_id: account.package_id,
		package: plan,
		payment_customer_id: account.payment_customer_id,
		subscription_status: account.subscription_status,
		created_at: account.created_at,
		updated_at: account.updated_at,
	};
}

/** What operators see of an account. @param planName of its plan */
export function toAccountReport(account: AccountRow, planName: string): AccountReport {
	return {
		id: account._id,
		name: account.name,
		email: account.email,
		package: planName,
		subscription_status: account.subscription_status,
		suspended_at: account.suspended_at,
		created_at: account.created_at,
		updated_at: account.updated_at,
	};
}

/** What an account may do beside its plan. The API shows it, and nothing here asks for it. */
export interface RoleRow extends Omit<Role, 'id'> {
	_id: number;
}

const roleSchema = new Schema<RoleRow>(
	{
		_id: { type: Number, required: true },
		name: { type: String, required: true },
		description: { type: String, required: true },
		level: { type: Number, required: true },
	},
	schemaOptions,
);
roleSchema.index({ name: 1 }, { unique: true });

export function roleModel(connection: Connection): Model<RoleRow> {
	return connection.model<RoleRow>('Role', roleSchema, 'roles');
}

/** What the API shows of a role. */
export function toRole({ _id, ...shown }: RoleRow): Role {
	return { id: _id, ...shown };
}
