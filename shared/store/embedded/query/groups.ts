import { Slices } from '../../../work/long-work.ts';
import { bound } from '../columns.ts';
import type { SqlRow, SqlValue } from '../database.ts';
import type { Table } from '../table.ts';
import type { Scalar } from './bounds.ts';
import { type Document, type Json, type JsonObject, toJson, valueAt } from './json-value.ts';
import { planQuery } from './plan.ts';
import { ENTRY, scan } from './scan.ts';
import { Watch } from './watch.ts';

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
 * What is written between two steps is counted as it is at the end.
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
	const sorted = paths.slice(Math.min(equal, at), at + 1);
	const columns = sorted.map((path) => table.columns.nameOf(path));
	const all = `SELECT ${columns}, count(*) ${from} GROUP BY ${columns}`;
	const rest = `${all} HAVING ${columns[0]} >= ?`;
	const groups: SqlRow[] = [];
	const watch = new Watch(table, { keepsBefore: true });
	try {
		for (const range of ranges) {
			let last = await readGroups(table.database.iterate(all, ...range), null, groups, slices, watch);
			while (last !== undefined) {
				last = await readGroups(table.database.iterate(rest, ...range, last), last, groups, slices, watch);
			}
		}
		return summed(watch.rows.size === 0 ? groups : recounted(groups, table, filter, sorted, watch));
	} finally {
		watch.end();
	}
}

/**
 * Reads groups until something is written while others have their turn: SQL has begun the next group by then, and where the
 * first entry of that goes away, it calls it by another one's name. So it is to be asked anew from the last group on.
 * @param first of these groups, by the first column; null: the lowest
 * @returns the first column of the last one, which is higher; undefined where these were all
 */
async function readGroups(
	counted: Iterable<SqlRow>,
	first: SqlValue,
	groups: SqlRow[],
	slices: Slices,
	watch: Watch,
): Promise<SqlValue | undefined> {
	for (const group of counted) {
		groups.push(group);
		slices.count(GROUP + (group[group.length - 1] as number) * ENTRY);
		if (!slices.isUsedUp || group[0] === first) continue;
		const { writes } = watch;
		await slices.next();
		if (watch.writes > writes) return group[0];
	}
	return undefined;
}

/** Each group once, as it was counted last; those of which something was written are counted now. */
function recounted(
	groups: SqlRow[],
	table: Table,
	filter: JsonObject,
	paths: string[],
	watch: Watch,
): Iterable<SqlRow> {
	const latest = new Map(groups.map((group) => [JSON.stringify(group.slice(0, -1)), group]));
	const written = new Map<string, Scalar[]>();
	for (const document of watch.met(filter)) {
		const values = paths.map((path) => (valueAt(document, path) ?? null) as Scalar);
		written.set(JSON.stringify(values.map(bound)), values);
	}
	for (const [key, values] of written) {
		const only = Object.fromEntries(paths.map((path, at) => [path, values[at]!]));
		latest.set(key, [...values.map(bound), countNow(table, { ...filter, ...only })]);
	}
	return latest.values();
}

/** In one go. */
function countNow(table: Table, filter: JsonObject): number {
	const { exact, from, ranges } = planQuery(table, filter, [], false);
	let total = 0;
	if (exact) {
		for (const range of ranges) total += table.database.get(`SELECT count(*) ${from}`, ...range)![0] as number;
		return total;
	}
	const steps = scan(table, { filter, sort: [], skip: 0, limit: 0 });
	for (;;) {
		const { done, value } = steps.next();
		total += value.length;
		if (done) return total;
	}
}

/** By the last column of each group; undefined where that is a boolean, which SQL has no name for. */
function summed(groups: Iterable<SqlRow>): Map<Json, number> | undefined {
	const counts = new Map<Json, number>();
	for (const group of groups) {
		const value = group[group.length - 2] as Exclude<SqlValue, Uint8Array>;
		if (typeof value === 'object' && value !== null) return undefined;
		counts.set(value, (counts.get(value) ?? 0) + (group[group.length - 1] as number));
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
