import { Slices } from '../../../work/long-work.ts';
import type { SqlValue } from '../database.ts';
import type { Table } from '../table.ts';
import type { JsonObject } from './json-value.ts';
import { type Plan, planQuery } from './plan.ts';
import { ENTRY, scan } from './scan.ts';
import { anyNumber } from './sql.ts';

/** Index entries that one statement counts: about 1 ms. */
const entriesPerStatement = 20_000;

/** Index entries that are stepped through one by one between two looks at the clock: less than a millisecond. */
const entriesPerLook = 1_000;

/** What a statement that counts costs, as a part of what a document does */
const STATEMENT = 0.25;

/** @param limit counting ends there; 0 for none */
export async function countDocuments(table: Table, filter: JsonObject, skip: number, limit: number): Promise<number> {
	const most = limit > 0 ? skip + limit : Number.POSITIVE_INFINITY;
	const plan = planQuery(table, filter, [], false);
	const slices = new Slices();
	try {
		const found = await (plan.exact
			? countEntries(table, plan, most, slices)
			: countMatches(table, filter, most, slices));
		return Math.max(0, Math.min(found, most) - skip);
	} finally {
		slices.end();
	}
}

/** Where an index answers the whole filter, its entries are counted and no document is read. */
async function countEntries(table: Table, plan: Plan, most: number, slices: Slices): Promise<number> {
	let count = 0;
	for (const range of plan.ranges) {
		if (slices.isUsedUp) await slices.next();
		count += await countRange(table, plan.from, range, most - count, slices);
		if (count >= most) break;
	}
	return count;
}

export async function countRange(
	table: Table,
	from: string,
	range: SqlValue[],
	most: number,
	slices: Slices,
): Promise<number> {
	const first = Math.min(most, entriesPerStatement);
	const [count] = table.database.get(`SELECT count(*) FROM (SELECT 1 ${from} LIMIT ${anyNumber})`, ...range, first)!;
	slices.count(STATEMENT + (count as number) * ENTRY);
	if ((count as number) < first || first === most) return count as number;
	let total = 0;
	for (const _ of table.database.iterate(`SELECT 1 ${from}`, ...range)) {
		if (++total === most) break;
		if (total % entriesPerLook > 0) continue;
		slices.count(entriesPerLook * ENTRY);
		if (slices.isUsedUp) await slices.next();
	}
	return total;
}

async function countMatches(table: Table, filter: JsonObject, most: number, slices: Slices): Promise<number> {
	let count = 0;
	const steps = scan(table, { filter, sort: [], skip: 0, limit: Number.isFinite(most) ? most : 0 }, slices);
	try {
		for (let step = steps.next(); ; step = steps.next()) {
			count += step.value.length;
			if (step.done) return count;
			await slices.next();
		}
	} finally {
		steps.return([]);
	}
}
