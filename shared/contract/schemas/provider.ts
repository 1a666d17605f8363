import { Nullable, type Static, Timestamp, Type } from './schema.ts';

const Amount = (description: string) =>
	Type.Integer({ minimum: 0, description: `${description}, in the currency's minor unit` });
const Limit = (description: string) =>
	Nullable(Type.Integer({ minimum: 0 }), { description: `${description}; null: no limit` });

export const Role = Type.Object({
	id: Type.Integer(),
	name: Type.String(),
	description: Type.String(),
	level: Type.Integer({ description: 'Grows with power' }),
});
export type Role = Static<typeof Role>;

export const Package = Type.Object({
	id: Type.Integer(),
	name: Type.String(),
	bookings_per_month: Limit('Bookings a UTC month'),
	requests_per_month: Limit('Requests a UTC month'),
	rate_limit_per_second: Limit('Sustained requests a second'),
	services_limit: Limit('Services'),
	overages_enabled: Type.Boolean(),
	overage_price_amount: Amount('Price of one booking over the plan'),
	price_amount: Amount('Price of the plan'),
	price_currency: Type.String({ description: 'ISO 4217, lower case' }),
	price_interval: Type.Union([Type.Literal('month'), Type.Literal('year')]),
	payment_overage_price_id: Nullable(Type.String()),
	payment_price_id: Nullable(Type.String()),
	created_at: Timestamp('When the package was made'),
	updated_at: Timestamp('When the package was last changed'),
});
export type Package = Static<typeof Package>;

export const SubscriptionStatus = Type.Union([
	Type.Literal('trialing'),
	Type.Literal('active'),
	Type.Literal('past_due'),
	Type.Literal('canceled'),
]);
export type SubscriptionStatus = Static<typeof SubscriptionStatus>;

/** The account that owns the API key. */
export const Provider = Type.Object({
	id: Type.String(),
	name: Type.String(),
	email: Nullable(Type.String()),
	phone: Nullable(Type.String()),
	avatar: Nullable(Type.String()),
	is_verified: Type.Boolean(),
	role_id: Type.Integer(),
	role: Role,
	package_id: Type.Integer(),
	package: Package,
	payment_customer_id: Nullable(Type.String()),
	subscription_status: SubscriptionStatus,
	created_at: Timestamp('When the account was made'),
	updated_at: Timestamp('When the account was last changed'),
});
export type Provider = Static<typeof Provider>;
