import type { PackageReport } from '../../../shared/contract/account-reports.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { type PackageRow, toPackageReport } from './plan.model.ts';

/** Every plan, in the order in which they were made. */
export async function listPackages(store: AccountsStore): Promise<PackageReport[]> {
	const packages = await store.packages.find().sort({ _id: 1 }).lean<PackageRow[]>();
	return packages.map(toPackageReport);
}
