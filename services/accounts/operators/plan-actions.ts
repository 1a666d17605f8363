import type { PlanFigures, PlanReport } from '../../../shared/contract/account-reports.ts';
import { isRefused, type Refused } from '../../../shared/contract/refused.ts';
import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import type { AccountsStore } from '../accounts-store.ts';
import { type PlanRow, toColumns, toPlanReport } from '../plan.model.ts';
import { AN_OPERATOR, EVERY_ACCOUNT, logEntry, type Who } from './operator-log.ts';

/** A plan by its name, or which ones there are. */
export async function findPlan(store: AccountsStore, name: string): Promise<PlanRow | Refused> {
	const plans = await store.allPlans();
	const found = plans.find((plan) => plan.name === name);
	if (found) return found;
	const names = plans.map((plan) => plan.name).join(', ');
	return { refused: `There is no package "${name}"; the packages are ${names}.` };
}

/** Every plan, in the order in which they were made. */
export async function listPlans(store: AccountsStore): Promise<PlanReport[]> {
	return (await store.allPlans()).map(toPlanReport);
}

/** Changes figures of a plan, for every account that has it. What is left out stays as it is. */
export async function setPlan(
	store: AccountsStore,
	clock: Clock,
	name: string,
	wanted: Partial<PlanFigures>,
	who: Who = AN_OPERATOR,
): Promise<PlanReport | Refused> {
	const change = randomBase62(12);
	for (;;) {
		const plan = await findPlan(store, name);
		if (isRefused(plan)) return plan;
		const before = toPlanReport(plan);
		const after = { ...before, ...wanted };
		if ((after.rate === null) !== (after.burst === null)) {
			return { refused: `Package ${name} needs a rate and a burst, or none of both.` };
		}
		const changed = (Object.keys(wanted) as (keyof PlanFigures)[]).filter((field) => before[field] !== after[field]);
		if (changed.length === 0) return before;

		const at = timestamp(clock.now());
		const details = Object.fromEntries(changed.map((field) => [field, { from: before[field], to: after[field] }]));
		const entry = {
			account_id: EVERY_ACCOUNT,
			at,
			event: 'package.changed',
			subject: name,
			...who,
		} as const;
		await store.log.append(logEntry({ ...entry, details }, change));
		const changes = { ...toColumns(after), updated_at: at };
		if (await store.changePlan(plan, changes)) return { ...after, updated_at: at };
	}
}
