import type { JsonObject } from './json-value.ts';

export type Scalar = null | boolean | number | string;

/** What a filter asks of one path, as far as an index can answer it. */
export interface Bound {
	/** The value is one of these; without duplicates, in MongoDB's order */
	equal?: Scalar[];
	above?: Limit;
	below?: Limit;
	/** The bound is all that the filter asks of this path */
	whole: boolean;
}

/** A limit includes only values of its own type, as on MongoDB. */
export interface Limit {
	value: number | string;
	open: boolean;
}

export interface Bounds {
	readonly paths: ReadonlyMap<string, Bound>;
	/** The bounds are all that the filter asks */
	readonly whole: boolean;
}

/** Reads from a filter what indexes can answer: equality, `$in` and ranges, also below `$and`. */
export function boundsOf(filter: JsonObject): Bounds {
	const paths = new Map<string, Bound>();
	const whole = collect(filter, paths) && [...paths.values()].every((bound) => bound.whole);
	return { paths, whole };
}

function collect(filter: JsonObject, paths: Map<string, Bound>): boolean {
	let whole = true;
	for (const [key, condition] of Object.entries(filter)) {
		if (key === '$and' && Array.isArray(condition)) {
			for (const each of condition) whole = collect(each as JsonObject, paths) && whole;
		} else if (key.startsWith('$') || paths.has(key)) {
			whole = false;
		} else {
			paths.set(key, boundOf(condition));
		}
	}
	return whole;
}

function boundOf(condition: unknown): Bound {
	if (isScalar(condition)) return { equal: [condition], whole: true };
	if (typeof condition !== 'object' || condition === null || Array.isArray(condition)) return { whole: false };
	const bound: Bound = { whole: true };
	for (const [operator, operand] of Object.entries(condition)) {
		if (!narrow(bound, operator, operand)) bound.whole = false;
	}
	if (!fits(bound)) return { whole: false };
	return bound;
}

/** True where the bound now says all that the operator asks. */
function narrow(bound: Bound, operator: string, operand: unknown): boolean {
	const isLimit = typeof operand === 'number' || typeof operand === 'string';
	if (operator === '$eq' && !bound.equal && isScalar(operand)) bound.equal = [operand];
	else if (operator === '$in' && !bound.equal && Array.isArray(operand) && operand.every(isScalar)) {
		bound.equal = [...new Set(operand)].sort(compareScalars);
	} else if (operator === '$gt' && !bound.above && isLimit) bound.above = { value: operand, open: true };
	else if (operator === '$gte' && !bound.above && isLimit) bound.above = { value: operand, open: false };
	else if (operator === '$lt' && !bound.below && isLimit) bound.below = { value: operand, open: true };
	else if (operator === '$lte' && !bound.below && isLimit) bound.below = { value: operand, open: false };
	else return false;
	return true;
}

/** Equality with a range beside it, and a range between two types, are left to mingo. */
function fits({ equal, above, below }: Bound): boolean {
	if (equal) return !above && !below;
	if (above && below) return typeof above.value === typeof below.value;
	return Boolean(above || below);
}

function isScalar(value: unknown): value is Scalar {
	return value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string';
}

const typeOrder = { object: 0, number: 1, string: 2, boolean: 3 };

/** null, then numbers, strings and booleans, as MongoDB sorts them. */
export function compareScalars(left: Scalar, right: Scalar): number {
	if (typeof left !== typeof right) {
		return typeOrder[typeof left as keyof typeof typeOrder] - typeOrder[typeof right as keyof typeof typeOrder];
	}
	if (left === right || left === null || right === null) return 0;
	return left < right ? -1 : 1;
}
