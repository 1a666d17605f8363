/** A number that changes at moments, such as how many bookings hold a place. */
export class StepFunction {
	/** Moments of change, ascending */
	readonly #times: number[] = [];
	/** `#levels[0][k]`: the value from the k-th moment on. `#levels[n][k]`: the highest of 2^n of them (sparse table). */
	readonly #highest: number[][];
	readonly #lowest: number[][];

	/** @param changes in any order; those of one moment count as one */
	constructor(changes: readonly { time: number; by: number }[], initially = 0) {
		const values: number[] = [];
		let value = initially;
		for (const { time, by } of [...changes].sort((a, b) => a.time - b.time)) {
			value += by;
			if (this.#times.at(-1) === time) values[values.length - 1] = value;
			else {
				this.#times.push(time);
				values.push(value);
			}
		}
		// Before the first change it has its initial value.
		this.#times.unshift(Number.NEGATIVE_INFINITY);
		values.unshift(initially);
		this.#highest = sparseTable(values, Math.max);
		this.#lowest = sparseTable(values, Math.min);
	}

	/** The highest value that it has at a moment from `from` to `to`, both included; the value right before `from` counts. */
	highest(from: number, to: number): number {
		return query(this.#highest, this.#lastBefore(from), this.#lastUntil(to), Math.max);
	}

	/** The same, but for the value right before `from`. */
	highestAfter(from: number, to: number): number {
		return query(this.#highest, this.#lastUntil(from), this.#lastUntil(to), Math.max);
	}

	/** The lowest one. */
	lowest(from: number, to: number): number {
		return query(this.#lowest, this.#lastBefore(from), this.#lastUntil(to), Math.min);
	}

	/** Index of the last change before `time`: at a moment of change, what was there until then held as well. */
	#lastBefore(time: number): number {
		return Math.max(0, lowerBound(this.#times, time) - 1);
	}

	#lastUntil(time: number): number {
		const at = lowerBound(this.#times, time);
		return this.#times[at] === time ? at : at - 1;
	}
}

/** Index of the first of the ascending `values` that is not less than `value`. */
export function lowerBound(values: readonly number[], value: number): number {
	let low = 0;
	let high = values.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (values[middle]! < value) low = middle + 1;
		else high = middle;
	}
	return low;
}

type Choose = (a: number, b: number) => number;

function sparseTable(values: number[], choose: Choose): number[][] {
	const table = [values];
	for (let width = 1; 2 * width <= values.length; width *= 2) {
		const before = table.at(-1)!;
		const next: number[] = [];
		for (let at = 0; at + 2 * width <= values.length; at++) next.push(choose(before[at]!, before[at + width]!));
		table.push(next);
	}
	return table;
}

function query(table: number[][], from: number, to: number, choose: Choose): number {
	const level = 31 - Math.clz32(Math.max(1, to - from + 1));
	return choose(table[level]![from]!, table[level]![Math.max(from, to - 2 ** level + 1)]!);
}
