import { expect, test } from '@jest/globals';
import { Value } from 'typebox/value';
import { Provider } from '../../shared/contract/schemas/provider.ts';
import { describeForms } from './accounts-world.ts';

describeForms('provider', (openWorld) => {
	test('When a provider is asked for, then it has every field, with its role and package nested', async () => {
		const world = await openWorld();
		const { account_id } = await world.provider('Developer');
		const accounts = await world.start();
		const at = '2026-11-21T09:30:00.000Z';
		const provider = await accounts.call('accounts.provider', { account_id });
		expect(provider).toEqual({
			id: account_id,
			name: 'Ada',
			email: null,
			phone: null,
			avatar: null,
			is_verified: false,
			role_id: 1,
			role: { id: 1, name: 'provider', description: 'Publishes services and takes bookings', level: 10 },
			package_id: 2,
			package: {
				id: 2,
				name: 'Developer',
				bookings_per_month: 5_000,
				requests_per_month: 50_000,
				rate_limit_per_second: 10,
				services_limit: 25,
				overages_enabled: false,
				overage_price_amount: 0,
				price_amount: 2_900,
				price_currency: 'usd',
				price_interval: 'month',
				payment_overage_price_id: null,
				payment_price_id: null,
				created_at: at,
				updated_at: at,
			},
			payment_customer_id: null,
			subscription_status: 'active',
			created_at: at,
			updated_at: at,
		});
		expect(Value.Check(Provider, provider)).toBe(true);
	});
});

describeForms('plans', (openWorld) => {
	test('When the service starts first, then the four plans of the contract are there', async () => {
		const world = await openWorld();
		await world.start();
		const rows = await world.rows.plans.find().sort({ _id: 1 }).lean();
		expect(
			rows.map((row) => [
				row._id,
				row.name,
				row.rate_limit_per_second,
				row.burst,
				row.requests_per_month,
				row.bookings_per_month,
				row.services_limit,
				row.overages_enabled,
			]),
		).toEqual([
			[1, 'Starter', 5, 10, 10_000, 1_000, 5, false],
			[2, 'Developer', 10, 20, 50_000, 5_000, 25, false],
			[3, 'Growth', 20, 50, null, null, null, true],
			[4, 'Unlimited', null, null, null, null, null, true],
		]);
	});

	test('When an operator has changed a plan, then a restart leaves it', async () => {
		const world = await openWorld();
		await world.start();
		await world.rows.plans.updateOne({ _id: 1 }, { $set: { name: 'Basic', bookings_per_month: 3 } });
		await world.start();
		expect(await world.rows.plans.countDocuments()).toBe(4);
		expect(await world.rows.plans.findOne({ _id: 1 }).lean()).toMatchObject({
			name: 'Basic',
			bookings_per_month: 3,
		});
	});
});
