import { type Connection, type Model, Schema } from 'mongoose';
import type { PackageReport } from '../../../shared/contract/account-reports.ts';
import type { Package } from '../../../shared/contract/schemas/provider.ts';
import { schemaOptions } from '../../../shared/store/schema-options.ts';

/** A plan. Its figures are data that an operator changes; nothing in the code knows a plan by its name. */
export interface PackageRow extends Omit<Package, 'id'> {
	_id: number;
	/** Requests that may come at once; null: no limit. The API shows it as `X-RateLimit-Limit` only. */
	burst: number | null;
	/** How often operators changed it */
	revision?: number;
}

const limit = { type: Number, default: null };
const amount = { type: Number, required: true };

const packageSchema = new Schema<PackageRow>(
	{
		_id: { type: Number, required: true },
		name: { type: String, required: true },
		bookings_per_month: limit,
		requests_per_month: limit,
		rate_limit_per_second: limit,
		burst: limit,
		services_limit: limit,
		overages_enabled: { type: Boolean, required: true },
		overage_price_amount: amount,
		price_amount: amount,
		price_currency: { type: String, required: true },
		price_interval: { type: String, required: true },
		payment_overage_price_id: { type: String, default: null },
		payment_price_id: { type: String, default: null },
		revision: Number,
		created_at: { type: String, required: true },
		updated_at: { type: String, required: true },
	},
	schemaOptions,
);
packageSchema.index({ name: 1 }, { unique: true });

export function packageModel(connection: Connection): Model<PackageRow> {
	return connection.model<PackageRow>('Package', packageSchema, 'packages');
}

/** What the API shows of a plan. */
export function toPackage({ _id, burst: _, revision: __, ...shown }: PackageRow): Package {
	return { id: _id, ...shown };
}

/** What operators see of a plan. */
export function toPackageReport(plan: PackageRow): PackageReport {
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
