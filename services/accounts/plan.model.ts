import type { PlanFigures, PlanReport } from '../../shared/contract/account-reports.ts';
import type { Package } from '../../shared/contract/schemas/provider.ts';
import { modelOf, number, text } from '../../shared/store/model.ts';

/**
 * A plan; the API, operators' commands and the collection call it a package. Its figures are data that an operator
 * changes; nothing in the code knows a plan by its name.
 */
export interface PlanRow extends Omit<Package, 'id'> {
	_id: number;
	/** Requests that may come at once; null: no limit. The API shows it as `X-RateLimit-Limit` only. */
	burst: number | null;
	/** How often operators changed it */
	revision?: number;
}

const limit = { type: Number, default: null };
const amount = number;

export const planModel = modelOf<PlanRow>('Package', 'packages', {
	fields: {
		_id: number,
		name: text,
		bookings_per_month: limit,
		requests_per_month: limit,
		rate_limit_per_second: limit,
		burst: limit,
		services_limit: limit,
		overages_enabled: { type: Boolean, required: true },
		overage_price_amount: amount,
		price_amount: amount,
		price_currency: text,
		price_interval: text,
		payment_overage_price_id: { type: String, default: null },
		payment_price_id: { type: String, default: null },
		revision: Number,
		created_at: text,
		updated_at: text,
	},
	unique: { name_1: { name: 1 } },
	plugins: [],
});

/** What the API shows of a plan; the same bytes whichever store keeps it, for each has an order of its own. */
export function toPackage(plan: PlanRow): Package {
	return {
		id: plan._id,
		name: plan.name,
		bookings_per_month: plan.bookings_per_month,
		requests_per_month: plan.requests_per_month,
		rate_limit_per_second: plan.rate_limit_per_second,
		services_limit: plan.services_limit,
		overages_enabled: plan.overages_enabled,
		overage_price_amount: plan.overage_price_amount,
		price_amount: plan.price_amount,
		price_currency: plan.price_currency,
		price_interval: plan.price_interval,
		payment_overage_price_id: plan.payment_overage_price_id,
		payment_price_id: plan.payment_price_id,
		created_at: plan.created_at,
		updated_at: plan.updated_at,
	};
}

/** What operators see of a plan. */
export function toPlanReport(plan: PlanRow): PlanReport {
	return {
		name: plan.name,
		rate: plan.rate_limit_per_second,
		burst: plan.burst,
		requests: plan.requests_per_month,
		bookings: plan.bookings_per_month,
		services: plan.services_limit,
		overages: plan.overages_enabled,
		updated_at: plan.updated_at,
	};
}

/** The fields that hold what an operator may change of a plan. */
export function toColumns(figures: PlanFigures) {
	return {
		rate_limit_per_second: figures.rate,
		burst: figures.burst,
		requests_per_month: figures.requests,
		bookings_per_month: figures.bookings,
		services_limit: figures.services,
		overages_enabled: figures.overages,
	};
}
