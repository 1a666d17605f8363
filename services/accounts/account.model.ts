import type { AccountReport } from '../../shared/contract/account-reports.ts';
import type { Package, Provider, Role } from '../../shared/contract/schemas/provider.ts';
import { modelOf, number, text } from '../../shared/store/model.ts';

/** A provider. It is its own account, so its `_id` is in every filter and the account scope has nothing to add. */
export interface AccountRow extends Omit<Provider, 'id' | 'role' | 'package'> {
	/** `acc_…` */
	_id: string;
	/** When an operator suspended it; null: not suspended */
	suspended_at: string | null;
	/** Days that its bookings are kept after their end; 0 or missing: for ever */
	retention_days?: number;
	/** How often operators changed it */
	revision?: number;
}

const optional = { type: String, default: null };

export const accountModel = modelOf<AccountRow>('Account', 'accounts', {
	fields: {
		_id: text,
		name: text,
		email: optional,
		phone: optional,
		avatar: optional,
		is_verified: { type: Boolean, required: true },
		role_id: number,
		package_id: number,
		payment_customer_id: optional,
		subscription_status: text,
		suspended_at: optional,
		retention_days: Number,
		revision: Number,
		created_at: text,
		updated_at: text,
	},
	partial: { keeps_for_a_time: { key: { _id: 1, retention_days: 1 }, above: { retention_days: 0 } } },
	plugins: [],
});

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
		retention_days: account.retention_days || null,
		created_at: account.created_at,
		updated_at: account.updated_at,
	};
}

/** What an account may do beside its plan. The API shows it, and nothing here asks for it. */
export interface RoleRow extends Omit<Role, 'id'> {
	_id: number;
}

export const roleModel = modelOf<RoleRow>('Role', 'roles', {
	fields: {
		_id: number,
		name: text,
		description: text,
		level: number,
	},
	unique: { name_1: { name: 1 } },
	plugins: [],
});

/** What the API shows of a role. */
export function toRole({ _id, ...shown }: RoleRow): Role {
	return { id: _id, ...shown };
}
