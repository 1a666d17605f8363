import { type Clock, timestamp } from '../../shared/engine/clock.ts';
import type { RoleRow } from './account.model.ts';
import type { AccountsStore } from './accounts-store.ts';
import { toColumns } from './plan.model.ts';

/** Role of an account that publishes services; what each new account gets. */
export const PROVIDER_ROLE = 1;

const roles: RoleRow[] = [
	{ _id: PROVIDER_ROLE, name: 'provider', description: 'Publishes services and takes bookings', level: 10 },
	{ _id: 2, name: 'admin', description: 'Manages every account', level: 100 },
];

const starter = { rate: 5, burst: 10, requests: 10_000, bookings: 1_000, services: 5, overages: false };
const developer = { rate: 10, burst: 20, requests: 50_000, bookings: 5_000, services: 25, overages: false };
const growth = { rate: 20, burst: 50, requests: null, bookings: null, services: null, overages: true };
const unlimited = { ...growth, rate: null, burst: null };

/** The first plans (contract §6). From then on they are data: a row that is there is left as an operator made it. */
const plans = [
	{ _id: 1, name: 'Starter', ...toColumns(starter), overage_price_amount: 0, price_amount: 900 },
	{ _id: 2, name: 'Developer', ...toColumns(developer), overage_price_amount: 0, price_amount: 2_900 },
	{ _id: 3, name: 'Growth', ...toColumns(growth), overage_price_amount: 1, price_amount: 9_900 },
	{ _id: 4, name: 'Unlimited', ...toColumns(unlimited), overage_price_amount: 0, price_amount: 49_900 },
];

/** Writes the roles and plans that are not there yet. */
export async function seedPlans(store: AccountsStore, clock: Clock): Promise<void> {
	const now = timestamp(clock.now());
	const rows = plans.map((plan) => ({
		...plan,
		price_currency: 'usd',
		price_interval: 'month' as const,
		payment_overage_price_id: null,
		payment_price_id: null,
		created_at: now,
		updated_at: now,
	}));
	await store.seed(roles, rows);
}
