import { Slices } from '../../../work/long-work.ts';
import type { SqlValue } from '../database.ts';
import type { Table } from '../table.ts';
import { anyNumber, type Plan, planQuery } from './plan.ts';
import { ENTRY, type Selection, scan } from './scan.ts';
import { Watch } from './watch.ts';

/** Index entries that one statement counts: about 1 ms. */
const entriesPerStatement = 20_000;

/** What a statement that counts costs, as a part of what a document does */
const STATEMENT = 0.25;

/** Counting ends at the limit; 0 for none. */
export async function countDocuments(table: Table, { filter, skip, limit, hint }: Selection): Promise<number> {
	const most = limit > 0 ? skip + limit : Number.POSITIVE_INFINITY;
	const plan = planQuery(table, filter, [], false, hint);
	const slices = new Slices();
	const count = plan.exact ? countEntries : countMatches;
	try {
		const found = await count(table, { plan, filter, hint, most }, slices);
		return Math.max(0, Math.min(found, most) - skip);
	} finally {
		slices.end();
	}
}

interface Counted extends Pick<Selection, 'filter' | 'hint'> {
	plan: Plan;
	/** Infinity: all, which are that many only about */
	most: number;
}

/** Attempts at a count between whose steps what it counts is written */
const MOST_ATTEMPTS = 5;

/** Where an index answers the whole filter, its entries are counted and no document is read. */
async function countEntries(table: Table, { plan, filter, most }: Counted, slices: Slices): Promise<number> {
	if (most === Number.POSITIVE_INFINITY) return countRanges(table, plan, most, slices);
	for (let attempt = 1; ; attempt++) {
		const watch = new Watch(table, { keepsBefore: true });
		try {
			const count = await countRanges(table, plan, most, slices);
			if (attempt === MOST_ATTEMPTS || watch.met(filter).length === 0) return count;
		} finally {
			watch.end();
		}
	}
}

async function countRanges(table: Table, plan: Plan, most: number, slices: Slices): Promise<number> {
	let count = 0;
	for (const range of plan.ranges) {
		if (slices.isUsedUp) await slices.next();
		count += await countRange(table, plan, range, most - count, slices);
		if (count >= most) break;
	}
	return count;
}

async function countRange(table: Table, plan: Plan, range: SqlValue[], most: number, slices: Slices): Promise<number> {
	const { from } = plan;
	const first = Math.min(most, entriesPerStatement);
	const count = countUpTo(first, table, from, range, slices);
	if (count < first || first === most) return count;
	return countAlong(table, plan, range, slices);
}

/** Totals that a table keeps */
const MOST_COUNTED = 1_000;

/**
 * Counted again only after a write: who shows lists, or services, asks for the same totals again and again. No transaction
 * is under way, for each begins and ends in one turn of the event loop.
 */
function countUpTo(
	most: number,
	{ database, counted }: Table,
	from: string,
	range: SqlValue[],
	slices: Slices,
): number {
	const key = JSON.stringify([from, most, range]);
	const before = counted.get(key);
	if (before !== undefined) return before;
	const sql = `SELECT count(*) FROM (SELECT 1 ${from} LIMIT ${anyNumber})`;
	const [count] = database.get(sql, ...range, most) as [number];
	slices.count(STATEMENT + count * ENTRY);
	if (counted.size >= MOST_COUNTED) counted.clear();
	counted.set(key, count);
	return count;
}

/**
 * In steps along the next column of the index: each counts the entries up to the value that so many more bring, which the next
 * one begins with. Entries of one value are one step: 100,000 bookings of one date take some 3 ms.
 */
async function countAlong(
	table: Table,
	{ from, paths, equal }: Plan,
	range: SqlValue[],
	slices: Slices,
): Promise<number> {
	const path = paths[equal];
	const entries = `FROM (SELECT ${path === undefined ? 'NULL' : table.columns.nameOf(path)} AS value ${from})`;
	const countWhere = (condition: string, ...values: SqlValue[]) => {
		const count = table.database.get(
			`SELECT count(*) ${entries} WHERE ${condition}`,
			...range,
			...values,
		)![0] as number;
		slices.count(STATEMENT + count * ENTRY);
		return count;
	};
	let total = countWhere('value IS NULL');
	let rest = 'value IS NOT NULL';
	let begin: SqlValue[] = [];
	for (;;) {
		if (slices.isUsedUp) await slices.next();
		const sql = `SELECT value ${entries} WHERE ${rest} ORDER BY value LIMIT 1 OFFSET ${anyNumber}`;
		const next = table.database.get(sql, ...range, ...begin, entriesPerStatement)?.[0];
		slices.count(STATEMENT + entriesPerStatement * ENTRY);
		if (next === undefined) return total + countWhere(rest, ...begin);
		const before = path === '_id' ? entriesPerStatement : countWhere(`${rest} AND value < ?`, ...begin, next);
		total += before || countWhere('value = ?', next);
		rest = before > 0 ? 'value >= ?' : 'value > ?';
		begin = [next];
	}
}

/** What is written between two steps is counted as it is at the end. */
async function countMatches(table: Table, { filter, hint, most }: Counted, slices: Slices): Promise<number> {
	const limit = Number.isFinite(most) ? most : 0;
	const steps = scan(table, { filter, sort: [], skip: 0, limit, hint }, slices);
	const watch = new Watch(table);
	const rows = new Set<number>();
	let count = 0;
	try {
		for (let step = steps.next(); ; step = steps.next()) {
			count += step.value.length;
			if (limit > 0) for (const { row } of step.value) rows.add(row);
			if (step.done) break;
			await slices.next();
		}
		if (watch.rows.size === 0 || limit === 0 || count === limit) return count;
		for (const row of watch.rows) rows.delete(row);
		return rows.size + watch.matching(filter).length;
	} finally {
		watch.end();
		steps.return([]);
	}
}
