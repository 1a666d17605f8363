import { compare } from 'mingo/util';
import type { Slices } from '../../../work/long-work.ts';
import { Stored, type Table } from '../table.ts';
import type { Document, JsonObject } from './json-value.ts';
import { valueAt } from './json-value.ts';
import { matcher } from './matcher.ts';
import { anyNumber, type Plan, planQuery, type Sort } from './plan.ts';
import type { Watch } from './watch.ts';

/** What a query asks for. */
export interface Selection {
	filter: JsonObject;
	sort: Sort;
	skip: number;
	/** 0 for all */
	limit: number;
	/** Name of the index to use; undefined: the best one */
	hint?: string | undefined;
	/** All that is asked of each document, where it is a part of it: no more need be read */
	fields?: readonly string[] | undefined;
}

/** Documents that one step reads before the event loop gets its turn. */
export const documentsPerStep = 500;

/** Entries that one statement reads where the index has all that is asked: a few milliseconds */
const entriesPerRead = 5_000;

/** Documents between two looks at the clock */
const documentsPerLook = 16;

/** Index entries that SQL passes over in one go: a millisecond or two */
const mostSkipped = 20_000;
/** Index entries between two steps where they are passed over one by one */
const entriesPerStep = 2_000;
/** What an entry of an index costs, as a part of what a document does */
export const ENTRY = 0.01;

/** Whose time a scan takes: it hears of the work, and a step ends early where the time is used up. */
export type Meter = Pick<Slices, 'count' | 'isUsedUp'>;

/** Of scans that are a part of a write, whose turns are the group commit's */
const unmetered: Meter = { count() {}, isUsedUp: false };

/**
 * Finds documents in steps of at most 500 candidates. Each step but the last is yielded, the last one is returned, so that
 * a short answer needs no turn of the event loop.
 */
export function* scan(
	table: Table,
	selection: Selection,
	meter: Meter = unmetered,
): Generator<Stored[], Stored[], void> {
	const { filter, sort, skip, limit, fields, hint } = selection;
	const plan = planQuery(table, filter, sort, limit > 0, hint);
	if (!plan.ordered) return yield* sorted(table, plan, selection, meter);
	const skipInSql = plan.exact && plan.ranges.length === 1;
	const needed = limit > 0 ? limit + (skipInSql ? 0 : skip) : Number.POSITIVE_INFINITY;
	const found =
		skipInSql && skip > mostSkipped
			? farMatches(table, plan, skip, needed, meter)
			: matches(table, plan, filter, skipInSql ? skip : 0, needed, meter, fields);
	return yield* window(found, skipInSql ? 0 : skip, limit);
}

/** All matches are read, then sorted; SQL must not sort, for it would do so in one step. */
function* sorted(table: Table, plan: Plan, selection: Selection, meter: Meter): Generator<Stored[], Stored[], void> {
	const all: Stored[] = [];
	const reading = matches(table, plan, selection.filter, 0, Number.POSITIVE_INFINITY, meter);
	let step = reading.next();
	for (; !step.done; step = reading.next()) {
		all.push(...step.value);
		yield [];
	}
	all.push(...step.value);
	all.sort((left, right) => compareDocuments(left.document, right.document, selection.sort));
	return all.slice(selection.skip, selection.limit > 0 ? selection.skip + selection.limit : undefined);
}

/** Drops the first `skip` documents and ends after `limit`. */
function* window(
	steps: Generator<Stored[], Stored[], void>,
	skip: number,
	limit: number,
): Generator<Stored[], Stored[], void> {
	let toSkip = skip;
	let left = limit > 0 ? limit : Number.POSITIVE_INFINITY;
	try {
		for (;;) {
			const { done, value } = steps.next();
			const taken = value.slice(toSkip, toSkip + left);
			toSkip = Math.max(0, toSkip - value.length);
			left -= taken.length;
			if (done || left === 0) return taken;
			yield taken;
		}
	} finally {
		steps.return([]);
	}
}

/**
 * The matches of a plan in its own order.
 *
 * @param skip documents that SQL leaves out; more than 0 only where the plan is exact and has one range
 * @param needed how many are enough
 */
function* matches(
	table: Table,
	plan: Plan,
	filter: JsonObject,
	skip: number,
	needed: number,
	meter: Meter,
	fields?: readonly string[],
): Generator<Stored[], Stored[], void> {
	const test = plan.exact ? undefined : matcher(filter);
	const part = partOf(table, fields, test && filter);
	const { list } = part ?? table.columns;
	const sql = `SELECT ${list}, rowid ${plan.from}${plan.orderBy} LIMIT ${anyNumber} OFFSET ${anyNumber}`;
	const atOnce = isCovered(plan, fields) ? entriesPerRead : documentsPerStep;
	const inOneGo = plan.lookUp || (plan.exact && needed <= atOnce);
	let left = needed;
	let found: Stored[] = [];
	let read = 0;
	for (const range of plan.ranges) {
		const values = [...range, plan.exact && Number.isFinite(left) ? left : -1, skip];
		read++;
		for (const row of inOneGo ? table.database.all(sql, ...values) : table.database.iterate(sql, ...values)) {
			const candidate = part === undefined ? table.stored(row) : new Stored(row, part);
			if (!test || test(candidate.document)) {
				found.push(candidate);
				left--;
			}
			meter.count(1);
			if (left === 0) return found;
			if (++read < documentsPerStep && (read % documentsPerLook > 0 || !meter.isUsedUp)) continue;
			yield found;
			found = [];
			read = 0;
		}
	}
	return found;
}

function isCovered({ paths }: Plan, fields: readonly string[] | undefined): boolean {
	return fields?.every((field) => field === '_id' || paths.includes(field)) ?? false;
}

/**
 * Matches of a filter, all of them, as of now: what a scan of several steps found, with what was written meanwhile as it is by
 * now.
 */
export function asOfNow(found: readonly Stored[], { filter, sort }: Selection, watch: Watch): Stored[] {
	const unchanged = found.filter(({ row }) => !watch.rows.has(row));
	const all = [...unchanged, ...watch.matching(filter)];
	return sort.length === 0 ? all : all.sort((left, right) => compareDocuments(left.document, right.document, sort));
}

/**
 * How only what is asked of each document is read, and what a filter looks at that SQL did not answer.
 * @returns undefined where all of it is read
 */
function partOf({ columns }: Table, fields: readonly string[] | undefined, filter: JsonObject | undefined) {
	if (fields === undefined) return undefined;
	return columns.part(filter === undefined ? fields : [...new Set([...fields, ...Object.keys(filter)])]);
}

/** The matches behind so many others that SQL would take long to pass over them in one go; of a plan like `matches`' skip. */
function* farMatches(
	table: Table,
	{ from, orderBy, ranges }: Plan,
	skip: number,
	needed: number,
	meter: Meter,
): Generator<Stored[], Stored[], void> {
	let passed = 0;
	let found: Stored[] = [];
	let left = needed;
	for (const [row] of table.database.iterate(`SELECT rowid ${from}${orderBy}`, ...ranges[0]!)) {
		if (passed < skip) {
			if (++passed % entriesPerStep > 0) continue;
			meter.count(entriesPerStep * ENTRY);
			yield [];
			continue;
		}
		const candidate = table.read(row as number);
		meter.count(1);
		if (candidate === undefined) continue;
		found.push(candidate);
		if (--left === 0) return found;
		if (found.length < documentsPerStep && !meter.isUsedUp) continue;
		yield found;
		found = [];
	}
	return found;
}

/** MongoDB sorts a missing field as null. */
function compareDocuments(left: Document, right: Document, sort: Sort): number {
	for (const [path, direction] of sort) {
		const order = compare(valueAt(left, path) ?? null, valueAt(right, path) ?? null);
		if (order !== 0) return order * direction;
	}
	return 0;
}
