import { type Clock, timestamp } from '../../shared/engine/clock.ts';
import type { RoleRow } from './account.model.ts';
import type { AccountsStore } from './accounts-store.ts';

/** Role of an account that publishes services; what each new account gets. */
export const PROVIDER_ROLE = 1;

const roles: RoleRow[] = [
	{ _id: PROVIDER_ROLE, name: 'provider', description: 'Publishes services and takes bookings', level: 10 },
	{ _id: 2, name: 'admin', description: 'Manages every account', level: 100 },
];

/** The first plans (contract §6). From then on they are data: a row that is there is left as an operator made it. */
const plans = [
	{
		_id: 1,
		name: 'Starter',
		rate_limit_per_second: 5,
		burst: 10,
		requests_per_month: 10_000,
		bookings_per_month: 1_000,
		services_limit: 5,
		overages_enabled: false,
		overage_price_amount: 0,
		price_amount: 900,
	},
	{
		_id: 2,
		name: 'Developer',
		rate_limit_per_second: 10,
		burst: 20,
		requests_per_month: 50_000,
		bookings_per_month: 5_000,
		services_limit: 25,
		overages_enabled: false,
		overage_price_amount: 0,
		price_amount: 2_900,
	},
	{
		_id: 3,
		name: 'Growth',
		rate_limit_per_second: 20,
		burst: 50,
		requests_per_month: null,
		bookings_per_month: null,
		services_limit: null,
		overages_enabled: true,
		overage_price_amount: 1,
		price_amount: 9_900,
	},
	{
		_id: 4,
		name: 'Unlimited',
		rate_limit_per_second: null,
		burst: null,
		requests_per_month: null,
		bookings_per_month: null,
		services_limit: null,
		overages_enabled: true,
		overage_price_amount: 0,
		price_amount: 49_900,
	},
];

/** Writes the roles and plans that are not there yet. */
export async function seedPlans(store: AccountsStore, clock: Clock): Promise<void> {
	const now = timestamp(clock.now());
	const rows = plans.map((figures) => ({
		...figures,
		price_currency: 'usd',
		price_interval: 'month' as const,
		payment_overage_price_id: null,
		payment_price_id: null,
		created_at: now,
		updated_at: now,
	}));
	await store.addRoles(roles);
	await store.addPlans(rows);
}
