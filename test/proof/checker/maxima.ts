import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { type History, type OperationOf, ofKind } from '../history.ts';
import { StepFunction } from './step-function.ts';

/**
 * ms for which a PATCH without an answer may still take effect: what a cut connection held back for 30 s may arrive, and
 * then has its own deadline of 9 s
 */
const AFTERLIFE = 60_000;

interface Value {
	max: number;
	/** It may have been the maximum at moments from `from` to `to`. */
	from: number;
	to: number;
}

/** What the maximum of one slot may have been, moment by moment. */
export class Maxima {
	/** When a PATCH was answered that may have lowered it, ascending */
	readonly lowerings: number[];
	readonly #highest: StepFunction;
	readonly #lowest: StepFunction;

	constructor(values: Value[], lowerings: number[]) {
		this.lowerings = lowerings;
		this.#highest = envelope(values, (a, b) => b - a);
		this.#lowest = envelope(values, (a, b) => a - b);
	}

	/** The highest value that it may have had at a moment from `from` to `to`. */
	highest(from: number, to: number): number {
		return this.#highest.highest(from, to);
	}

	/** The same, but for what ended at `from`. */
	highestAfter(from: number, to: number): number {
		return this.#highest.highestAfter(from, to);
	}

	lowest(from: number, to: number): number {
		return this.#lowest.lowest(from, to);
	}
}

/** The maxima of every slot that was listed when it was new, by the slot's id. */
export function maximaOf(history: History): Map<number, Maxima> {
	const changes = Map.groupBy(
		ofKind(history.operations, 'update slots')
			.filter(({ outcome }) => outcome !== 'fail')
			.flatMap((operation) => operation.asked.body.time_slots.map((change) => ({ ...change, operation }))),
		({ id }) => id,
	);
	const first = new Map<number, TimeSlot>();
	for (const { outcome, answered } of ofKind(history.operations, 'list slots')) {
		if (outcome !== 'ok') continue;
		for (const slot of answered!.data as TimeSlot[]) if (!first.has(slot.id)) first.set(slot.id, slot);
	}
	return new Map([...first].map(([id, slot]) => [id, slotMaxima(slot, changes.get(id) ?? [])]));
}

interface Change {
	max_bookings: number;
	operation: OperationOf<'update slots'>;
}

function slotMaxima(slot: TimeSlot, changes: Change[]): Maxima {
	const done = changes.filter(({ operation }) => operation.outcome === 'ok');
	// By invocation, with the earliest answer among this one and those that were invoked later.
	const answers = done.map(({ operation: { from, to } }) => ({ from, to })).sort((a, b) => a.from - b.from);
	for (let at = answers.length - 2; at >= 0; at--) answers[at]!.to = Math.min(answers[at]!.to, answers[at + 1]!.to);
	/** When a change is certainly done that was invoked after `time`. */
	const replacedAfter = (time: number) => answers[firstAfter(answers, time)]?.to ?? Number.POSITIVE_INFINITY;
	const values: Value[] = [
		{ max: slot.max_bookings, from: Number.NEGATIVE_INFINITY, to: replacedAfter(Number.NEGATIVE_INFINITY) },
		...changes.map(({ max_bookings: max, operation: { from, to, outcome, ended } }) => ({
			max,
			from,
			to: replacedAfter(outcome === 'ok' ? to : ended + AFTERLIFE),
		})),
	];
	const before = new Maxima(values, []);
	const lowerings = done
		.filter(({ max_bookings, operation: { from } }) => max_bookings < before.highest(from, from))
		.map(({ operation }) => operation.to);
	return new Maxima(
		values,
		lowerings.sort((a, b) => a - b),
	);
}

function firstAfter(answers: { from: number }[], time: number): number {
	let low = 0;
	let high = answers.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (answers[middle]!.from > time) high = middle;
		else low = middle + 1;
	}
	return low;
}

/** The first by `order` of the values that hold, moment by moment. At each moment few hold. */
function envelope(values: Value[], order: (a: number, b: number) => number): StepFunction {
	const moments = values
		.flatMap(({ max, from, to }) => [
			{ time: from, max, begins: true },
			{ time: to, max, begins: false },
		])
		.sort((a, b) => a.time - b.time || Number(b.begins) - Number(a.begins));
	const holding = new Map<number, number>();
	let value = 0;
	const changes: { time: number; by: number }[] = [];
	for (const { time, max, begins } of moments) {
		const count = (holding.get(max) ?? 0) + (begins ? 1 : -1);
		if (count === 0) holding.delete(max);
		else holding.set(max, count);
		const [first] = [...holding.keys()].sort(order);
		if (first === undefined) continue;
		changes.push({ time, by: first - value });
		value = first;
	}
	return new StepFunction(changes);
}
