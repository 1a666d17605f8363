import { mongo } from 'mongoose';
import { bound } from '../columns.ts';
import type { SqlValue } from '../database.ts';
import { partCondition } from '../layout.ts';
import type { Index, Part } from '../shape.ts';
import type { Table } from '../table.ts';
import { type Bound, type Bounds, boundsOf, type Limit, type Scalar } from './bounds.ts';
import type { JsonObject } from './json-value.ts';

/** Path and direction of each key, in order. */
export type Sort = readonly (readonly [string, 1 | -1])[];

/** How SQL finds the candidates of a query: one index, and one or more ranges of it. */
export interface Plan extends Shape {
	/** What each range binds to `from`; read one after the other */
	readonly ranges: SqlValue[][];
}

/** What is the same for all queries that ask the same of the same fields, whatever the values. */
interface Shape {
	/** FROM and WHERE */
	readonly from: string;
	/** ORDER BY, or nothing where the ranges already come in the order asked */
	readonly orderBy: string;
	/** Every candidate matches, so that SQL may count, skip and limit */
	readonly exact: boolean;
	/** The candidates come in the order asked */
	readonly ordered: boolean;
	/** Each range has one candidate at most: it is a look-up by a unique key */
	readonly lookUp: boolean;
	/** Paths of the index, in order: entries of a range come sorted by them */
	readonly paths: readonly string[];
	/** How many of them, from the first on, have one value in each range */
	readonly equal: number;
	/** Whether the next one is limited, above or below */
	readonly range: boolean;
	/** Fields that no index answers, and that SQL compares all the same */
	readonly compared: readonly string[];
}

interface Candidate {
	index?: Index;
	/** Leading columns of the index that the filter compares for equality */
	equal: number;
	range: boolean;
	ordered: boolean;
	lookUp: boolean;
	score: number;
}

/** More ranges than this are not worth their statements; `$in` over one column alone may have any number. */
const mostRanges = 1_000;

/** Shapes by what a query asks. A table that gets or loses an index has another list of them. */
const known = new WeakMap<Table['indexes'], Map<string, Shape>>();
/** Of a table: far more than our queries have, few enough for lists of all lengths in `$in` */
const mostShapes = 1_000;

/** @param hint name of the one index that it may use, as on MongoDB */
export function planQuery(table: Table, filter: JsonObject, sort: Sort, limited: boolean, hint?: string): Plan {
	const bounds = boundsOf(filter);
	let shapes = known.get(table.indexes);
	if (shapes === undefined || shapes.size > mostShapes) {
		shapes = new Map();
		known.set(table.indexes, shapes);
	}
	const asked = `${hint} ${askedBy(bounds, sort, limited)}`;
	let shape = shapes.get(asked);
	if (shape === undefined) {
		shape = shapeOf(table, bounds, sort, limited, hint);
		shapes.set(asked, shape);
	}
	return { ...shape, ranges: rangesOf(shape, bounds) };
}

/** All that a shape depends on. */
function askedBy({ paths, whole }: Bounds, sort: Sort, limited: boolean): string {
	let asked = `${whole} ${limited} ${sort}`;
	for (const [path, { equal, above, below, whole }] of paths) {
		asked += ` ${path}`;
		if (equal)
			asked += `=${equal.length}${equal.includes(null) ? 'n' : ''}${FLOORS.map((floor) => areAbove(equal, floor))}`;
		if (above)
			asked += `>${above.open}${typeof above.value}${FLOORS.map((floor) => `${isAbove(above, floor)}${above.value === floor}`)}`;
		if (below) asked += `<${below.open}${typeof below.value}`;
		if (whole) asked += '.';
	}
	return asked;
}

function shapeOf(table: Table, bounds: Bounds, sort: Sort, limited: boolean, hint: string | undefined): Shape {
	if (hint !== undefined)
		return toShape(table, judge(hinted(table, hint, bounds), bounds, sort, limited), bounds, sort);
	const usable = table.indexes.filter((index) => hasAll(index, bounds));
	const candidates = usable.map((index) => judge(index, bounds, sort, limited));
	const scan: Candidate = { equal: 0, range: false, ordered: sort.length === 0, lookUp: false, score: 0.5 };
	const best = candidates.reduce((left, right) => (right.score > left.score ? right : left), scan);
	return toShape(table, best, bounds, sort);
}

/** @throws MongoServerError where there is no such index, or where it lacks documents that the filter may find */
function hinted({ name, indexes }: Table, hint: string, bounds: Bounds): Index {
	const index = indexes.find((each) => each.name === hint);
	if (index && hasAll(index, bounds)) return index;
	const message = index
		? `hint ${hint} of ${name} lacks what the filter may find`
		: `hint ${hint} is no index of ${name}`;
	throw new mongo.MongoServerError({ message, code: 2 });
}

/** Whether an index has an entry for each document that the filter may find. */
function hasAll({ part }: Index, { paths }: Bounds): boolean {
	if (part === undefined) return true;
	const { equal, above } = paths.get(part.path) ?? {};
	if (equal !== undefined) return areAbove(equal, part.above);
	return above !== undefined && isAbove(above, part.above);
}

/** Whether that the index has an entry is all that is asked. */
function isPartCondition({ above: floor }: Part, { equal, above, below }: Bound): boolean {
	return equal === undefined && above?.value === floor && above.open && below === undefined;
}

const FLOORS = [0, ''] as const satisfies Part['above'][];

function isAbove({ value, open }: Limit, floor: Part['above']): boolean {
	return typeof value === typeof floor && (value > floor || (value === floor && open));
}

function areAbove(values: readonly Scalar[], floor: Part['above']): boolean {
	return values.every((value) => typeof value === typeof floor && value! > floor);
}

/** A look-up by a unique key beats all; then equal columns, a range, the order asked, and that every column is used. */
function judge(index: Index, { paths }: Bounds, sort: Sort, limited: boolean): Candidate {
	let equal = 0;
	let ranges = 1;
	for (const [path] of index.key) {
		const values = paths.get(path)?.equal;
		if (!values || (equal > 0 && values.length > 1 && ranges * values.length > mostRanges)) break;
		ranges *= values.length;
		equal++;
	}
	const next = index.key[equal];
	const range = Boolean(next && isRange(paths.get(next[0])));
	const ordered = comesInOrder(index, equal, paths, sort);
	const used = equal === index.key.length;
	const lookUp = index.unique && used && !index.key.some(([path]) => paths.get(path)?.equal?.includes(null));
	const order = ordered && sort.length > 0 ? (limited ? 3 : 1) : 0;
	const score = (lookUp ? 100 : 0) + 2 * equal + (range ? 1 : 0) + (used ? 0.5 : 0) + order;
	return { index, equal, range, ordered, lookUp, score };
}

function isRange(found: Bound | undefined): boolean {
	return Boolean(found?.above || found?.below);
}

/**
 * True where reading range after range, each in the index' order, gives the order asked. Sort keys with one value only say
 * nothing; several values of a column are read in ascending order, so they may only be followed by nothing.
 */
function comesInOrder(index: Index, equal: number, paths: Bounds['paths'], sort: Sort): boolean {
	const several = index.key.slice(0, equal).filter(([path]) => (paths.get(path)?.equal?.length ?? 0) > 1);
	const asked = sort.filter(([path]) => paths.get(path)?.equal?.length !== 1);
	if (asked.length === 0) return true;
	const [only] = several;
	if (only) return several.length === 1 && asked.length === 1 && asked[0]![0] === only[0] && asked[0]![1] === 1;
	const rest = index.key.slice(equal);
	if (asked.length > rest.length) return false;
	const turned = asked[0]![1] !== rest[0]![1];
	return asked.every(([path, direction], at) => path === rest[at]![0] && (direction !== rest[at]![1]) === turned);
}

function toShape(table: Table, { index, equal, range, ordered, lookUp }: Candidate, bounds: Bounds, sort: Sort): Shape {
	const columnOf = (path: string): string => table.columns.nameOf(path);
	const paths = index?.key.map(([path]) => path) ?? [];
	const equalPaths = paths.slice(0, equal);
	const conditions = equalPaths.map((path) => `${columnOf(path)} IS ?`);
	const used = new Set(paths.slice(0, range ? equal + 1 : equal));
	if (range) conditions.push(...rangeConditions(columnOf(paths[equal]!), bounds.paths.get(paths[equal]!)!));
	if (index?.part !== undefined) {
		const { part } = index;
		conditions.push(partCondition(table.columns, part));
		if (isPartCondition(part, bounds.paths.get(part.path)!)) used.add(part.path);
	}
	// Only in a look-up: a longer range must come back now and then, and SQL would pass over what does not match.
	const rest = lookUp ? [...bounds.paths].filter(([path]) => !used.has(path)) : [];
	const compared = rest.filter(([path, { equal }]) => equal?.length === 1 && table.columns.isScalar(path));
	for (const [path] of compared) {
		conditions.push(`${columnOf(path)} IS ?`);
		used.add(path);
	}
	const single = (path: string): boolean => bounds.paths.get(path)?.equal?.length === 1;
	const orderBy = sort
		.filter(([path]) => ordered && !equalPaths.includes(path) && !single(path))
		.map(([path, direction]) => `${columnOf(path)} ${direction === 1 ? 'ASC' : 'DESC'}`);
	return {
		from: `FROM ${table.source(index)}${conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''}`,
		orderBy: orderBy.length > 0 ? ` ORDER BY ${orderBy.join(', ')}` : '',
		exact: bounds.whole && [...bounds.paths.keys()].every((path) => used.has(path)),
		ordered,
		lookUp,
		paths,
		equal,
		range,
		compared: compared.map(([path]) => path),
	};
}

function rangesOf({ paths, equal, range, compared }: Shape, bounds: Bounds): SqlValue[][] {
	const equals = paths.slice(0, equal).map((path) => bounds.paths.get(path)!.equal!);
	const { above, below } = (range && bounds.paths.get(paths[equal]!)) || {};
	const limits = [above, below].filter((limit) => limit !== undefined).map(({ value }) => value);
	const others = compared.map((path) => bound(bounds.paths.get(path)!.equal![0]!));
	return combinations(equals).map((values) => [...values.map(bound), ...limits, ...others]);
}

/** SQLite sorts NULL, numbers, text, blobs; a limit of one type is closed against the next, as on MongoDB. */
function rangeConditions(column: string, { above, below }: Bound): string[] {
	const conditions: string[] = [];
	if (above) conditions.push(`${column} >${above.open ? '' : '='} ?`);
	else if (typeof below!.value === 'string') conditions.push(`${column} >= ''`);
	if (below) conditions.push(`${column} <${below.open ? '' : '='} ?`);
	else conditions.push(`${column} < ${typeof above!.value === 'string' ? "x''" : "''"}`);
	return conditions;
}

function combinations(columns: Scalar[][]): Scalar[][] {
	return columns.reduce<Scalar[][]>(
		(found, values) => found.flatMap((chosen) => values.map((value) => [...chosen, value])),
		[[]],
	);
}

/**
 * A bound number of LIMIT or OFFSET. SQLite plans by the value of a bare `?` there, and so prepares the statement anew each
 * time that another value is bound, or the same: three quarters of what a look-up by a key costs. An expression hides it.
 */
export const anyNumber = '?+0';
