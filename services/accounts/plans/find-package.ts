import type { Refused } from '../../../shared/contract/refused.ts';
import type { AccountsStore } from '../accounts-store.ts';
import type { PackageRow } from './plan.model.ts';

/** A plan by its name, or which ones there are. */
export async function findPackage(store: AccountsStore, name: string): Promise<PackageRow | Refused> {
	const packages = await store.packages.find().sort({ _id: 1 }).lean<PackageRow[]>();
	const found = packages.find((each) => each.name === name);
	if (found) return found;
	const names = packages.map((each) => each.name).join(', ');
	return { refused: `There is no package "${name}"; the packages are ${names}.` };
}
