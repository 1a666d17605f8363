import { Slices } from '../../../work/long-work.ts';
import type { SqlValue } from '../database.ts';
import type { Table } from '../table.ts';
import { type Document, type Json, type JsonObject, toJson, valueAt } from './json-value.ts';
import { anyNumber, type Plan, planQuery } from './plan.ts';
import { ENTRY, type Selection, scan } from './scan.ts';

/** Index entries that one statement counts: about 1 ms. */
const entriesPerStatement = 20_000;

/** Index entries that are stepped through one by one between two looks at the clock: less than a millisecond. */
const entriesPerLook = 1_000;

/** What a statement that counts costs, as a part of what a document does */
const STATEMENT = 0.25;

/** Counting ends at the limit; 0 for none. */
export async function countDocuments(table: Table, { filter, skip, limit, hint }: Selection): Promise<number> {
	const most = limit > 0 ? skip + limit : Number.POSITIVE_INFINITY;
	const plan = planQuery(table, filter, [], false, hint);
	const slices = new Slices();
	try {
		const found = await (plan.exact
			? countEntries(table, plan, most, slices)
			: countMatches(table, { filter, hint }, most, slices));
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

async function countRange(
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

async function countMatches(
	table: Table,
	{ filter, hint }: Pick<Selection, 'filter' | 'hint'>,
	most: number,
	slices: Slices,
): Promise<number> {
	let count = 0;
	const steps = scan(table, { filter, sort: [], skip: 0, limit: Number.isFinite(most) ? most : 0, hint }, slices);
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

/** `[{ $match }, { $group: { _id: '$path', <name>: { $sum: 1 } } }]`: the one aggregate there is. */
interface GroupCount {
	filter: JsonObject;
	/** Path of the field to group by; undefined for one group of all */
	path: string | undefined;
	name: string;
}

/** What a group that is counted costs beside its entries, as a part of what a document does */
const GROUP = 0.02;

/** Counts the matches by a field's value. */
export async function groupCount(table: Table, { filter, path, name }: GroupCount): Promise<Document[]> {
	const slices = new Slices();
	try {
		const fromEntries = path && (await fromIndex(table, filter, path, slices));
		const counts = fromEntries || (await fromDocuments(table, filter, path, slices));
		return [...counts].filter(([, count]) => count > 0).map(([_id, count]) => ({ _id, [name]: count }));
	} finally {
		slices.end();
	}
}

/**
 * Where an index answers the filter and has the field, no document is read: SQL counts equal entries that follow each other.
 * It comes back once for each of them, so a field with few values is one long step; occurrences have 10,000 entries at most.
 */
async function fromIndex(
	table: Table,
	filter: JsonObject,
	path: string,
	slices: Slices,
): Promise<Map<Json, number> | undefined> {
	const { exact, from, ranges, paths, equal } = planQuery(table, filter, [], false);
	const at = paths.indexOf(path);
	if (!exact || at < 0) return undefined;
	const sorted = paths.slice(Math.min(equal, at), at + 1).map((path) => table.columns.nameOf(path));
	const sql = `SELECT ${table.columns.nameOf(path)}, count(*) ${from} GROUP BY ${sorted}`;
	const counts = new Map<Json, number>();
	for (const range of ranges) {
		for (const [value, count] of table.database.iterate(sql, ...range)) {
			if (value instanceof Uint8Array) return undefined; // a boolean
			counts.set(value as Json, (counts.get(value as Json) ?? 0) + (count as number));
			slices.count(GROUP + (count as number) * ENTRY);
			if (slices.isUsedUp) await slices.next();
		}
	}
	return counts;
}

async function fromDocuments(
	table: Table,
	filter: JsonObject,
	path: string | undefined,
	slices: Slices,
): Promise<Map<Json, number>> {
	const counts = new Map<Json, number>();
	const steps = scan(table, { filter, sort: [], skip: 0, limit: 0 }, slices);
	try {
		for (let step = steps.next(); ; step = steps.next()) {
			for (const { document } of step.value) {
				const value = path === undefined ? null : (valueAt(document, path) ?? null);
				if (typeof value === 'object' && value !== null) throw new Error(`the embedded store cannot group by ${path}`);
				counts.set(value, (counts.get(value) ?? 0) + 1);
			}
			if (step.done) return counts;
			await slices.next();
		}
	} finally {
		steps.return([]);
	}
}

/** @throws Error for every other pipeline */
export function groupOf(pipeline: unknown): GroupCount {
	const unsupported = new Error('the embedded store aggregates nothing but [{ $match }, { $group: a count }]');
	if (!Array.isArray(pipeline) || pipeline.length < 1 || pipeline.length > 2) throw unsupported;
	const filter = pipeline.length === 2 ? pipeline[0]?.$match : {};
	const { _id, ...sums } = pipeline.at(-1)?.$group ?? {};
	const [[name, sum] = [], ...others] = Object.entries(sums);
	const byField = typeof _id === 'string' && _id.startsWith('$');
	if (!filter || !name || others.length > 0 || (sum as { $sum?: unknown })?.$sum !== 1) throw unsupported;
	if (!byField && _id !== null) throw unsupported;
	return { filter: toJson(filter) as JsonObject, path: byField ? _id.slice(1) : undefined, name };
}
