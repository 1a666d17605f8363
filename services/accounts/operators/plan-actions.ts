import type { PackageFigures, PackageReport } from '../../../shared/contract/account-reports.ts';
import { isRefused, type Refused } from '../../../shared/contract/refused.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { insertNew } from '../insert-new.ts';
import { findPackage } from '../plans/find-package.ts';
import { type PackageRow, toPackageReport } from '../plans/plan.model.ts';
import { changeAsRead } from './change-as-read.ts';
import { auditEntry, EVERY_ACCOUNT } from './operator-log.model.ts';

/** Changes figures of a plan, for every account that has it. What is left out stays as it is. */
export async function setPackage(
	store: AccountsStore,
	clock: Clock,
	name: string,
	wanted: Partial<PackageFigures>,
): Promise<PackageReport | Refused> {
	const occurrence = randomBase62(12);
	for (;;) {
		const plan = await findPackage(store, name);
		if (isRefused(plan)) return plan;
		const before = toPackageReport(plan);
		const after = { ...before, ...wanted };
		if ((after.rate === null) !== (after.burst === null)) {
			return { refused: `Package ${name} needs a rate and a burst, or none of both.` };
		}
		const changed = (Object.keys(wanted) as (keyof PackageFigures)[]).filter((field) => before[field] !== after[field]);
		if (changed.length === 0) return before;

		const at = timestamp(clock.now());
		const details = Object.fromEntries(changed.map((field) => [field, { from: before[field], to: after[field] }]));
		const entry = {
			account_id: EVERY_ACCOUNT,
			at,
			event: 'package.changed',
			subject: name,
			actor: 'operator',
		} as const;
		await insertNew(store.audit, [auditEntry({ ...entry, details }, occurrence)]);
		// Rate and burst belong together, so they are written together.
		const changes = { ...columns(after, changed), updated_at: at };
		if (await changeAsRead(store.packages, plan, changes)) return { ...after, updated_at: at };
	}
}

function columns(figures: PackageFigures, changed: (keyof PackageFigures)[]): Partial<PackageRow> {
	const has = (...fields: (keyof PackageFigures)[]) => fields.some((field) => changed.includes(field));
	return {
		...(has('rate', 'burst') && { rate_limit_per_second: figures.rate, burst: figures.burst }),
		...(has('requests') && { requests_per_month: figures.requests }),
		...(has('bookings') && { bookings_per_month: figures.bookings }),
		...(has('services') && { services_limit: figures.services }),
		...(has('overages') && { overages_enabled: figures.overages }),
	};
}
