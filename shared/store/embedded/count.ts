import { setImmediate as turn } from 'node:timers/promises';
import type { SqlValue } from './database.ts';
import type { JsonObject } from './json-value.ts';
import { planQuery } from './plan.ts';
import { documentsPerStep, scan } from './scan.ts';
import { anyNumber } from './sql.ts';
import type { Table } from './table.ts';

/** Index entries that one statement counts: about 1 ms. */
const entriesPerStatement = 20_000;

/** Index entries that are stepped through one by one before the event loop gets its turn: about 2 ms. */
const entriesPerTurn = 5_000;

/** @param limit counting ends there; 0 for none */
export async function countDocuments(table: Table, filter: JsonObject, skip: number, limit: number): Promise<number> {
	const most = limit > 0 ? skip + limit : Number.POSITIVE_INFINITY;
	const plan = planQuery(table, filter, [], false);
	const found = plan.exact ? await countEntries(table, plan, most) : await countMatches(table, filter, most);
	return Math.max(0, Math.min(found, most) - skip);
}

/** Where an index answers the whole filter, its entries are counted and no document is read. */
async function countEntries(table: Table, plan: ReturnType<typeof planQuery>, most: number): Promise<number> {
	let count = 0;
	let statements = 0;
	for (const range of plan.ranges) {
		if (++statements % documentsPerStep === 0) await turn();
		count += await countRange(table, plan.from, range, most - count);
		if (count >= most) break;
	}
	return count;
}

export async function countRange(table: Table, from: string, range: SqlValue[], most: number): Promise<number> {
	const first = Math.min(most, entriesPerStatement);
	const [count] = table.database.get(`SELECT count(*) FROM (SELECT 1 ${from} LIMIT ${anyNumber})`, ...range, first)!;
	if ((count as number) < first || first === most) return count as number;
	let total = 0;
	for (const _ of table.database.iterate(`SELECT 1 ${from}`, ...range)) {
		if (++total === most) break;
		if (total % entriesPerTurn === 0) await turn();
	}
	return total;
}

async function countMatches(table: Table, filter: JsonObject, most: number): Promise<number> {
	let count = 0;
	const steps = scan(table, { filter, sort: [], skip: 0, limit: Number.isFinite(most) ? most : 0 });
	for (let step = steps.next(); ; step = steps.next()) {
		count += step.value.length;
		if (step.done) return count;
		await turn();
	}
}
