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

/** What the API shows of a plan. */
export function toPackage({ _id, burst: _, revision: __, ...shown }: PlanRow): Package {
	return { id: _id, ...shown };
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
