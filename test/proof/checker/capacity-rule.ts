import { certain, type Holding } from './holdings.ts';
import type { Maxima } from './maxima.ts';
import { lowerBound } from './step-function.ts';
import type { Findings } from './violation.ts';

/**
 * Active bookings never exceed the maximum.
 *
 * Whenever a booking has certainly taken its place, let A be all that certainly hold one at that moment, and let τ be a
 * moment at which the maximum had just been lowered, before the youngest of A began. Then
 *
 *   |A| ≤ the highest maximum from τ on + F,   F = how many of A were on their way at τ.
 *
 * Bookings from before τ that a lowering kept are part of A, but each one keeps a place from the younger ones: a claim
 * that begins after τ sees them, and takes no seat at or above "maximum - those that sit above it". F are those that such
 * a claim may not have seen (promise L8). Of all τ the latest that fits is taken; without one, the whole time counts.
 */
export function checkCapacity(holdings: Holding[], maxima: Map<number, Maxima>, findings: Findings): void {
	for (const [place, all] of Map.groupBy(holdings, (holding) => holding.place)) {
		const of = maxima.get(all[0]!.time_slot_id);
		if (of === undefined) findings.add(`${place}: nobody listed this slot when it was new`);
		else checkPlace(place, all, of, findings);
	}
}

function checkPlace(place: string, holdings: Holding[], maxima: Maxima, findings: Findings): void {
	const steps = holdings
		.flatMap((holding) => {
			const { since, until } = certain(holding);
			if (until <= since) return [];
			return [
				{ time: since, holding, takes: true },
				{ time: until, holding, takes: false },
			];
		})
		.sort((a, b) => a.time - b.time || Number(a.takes) - Number(b.takes));
	const active = new Active(maxima.lowerings);
	let worst = { excess: 0, text: '' };
	for (const { time, holding, takes } of steps) {
		active.change(holding, takes ? 1 : -1);
		if (!takes) continue;
		const after = lastAtMost(maxima.lowerings, active.youngest());
		const max = maxima.highestAfter(maxima.lowerings[after] ?? Number.NEGATIVE_INFINITY, time);
		const underWay = active.underWayAt(after);
		const excess = active.size - max - underWay;
		if (excess <= worst.excess) continue;
		const ids = active.bookings().join(', ');
		const text = `${place}: ${active.size} active at ${time.toFixed(2)} ms, maximum ${max}, F ${underWay}: ${ids}`;
		worst = { excess, text };
	}
	if (worst.excess > 0) findings.add(worst.text);
}

function lastAtMost(values: number[], value: number): number {
	const at = lowerBound(values, value);
	return values[at] === value ? at : at - 1;
}

/** Those that certainly hold a place, as they come and go. */
class Active {
	readonly #holdings = new Set<Holding>();
	/** Heap by beginning, the youngest first; those that went are dropped when they come up */
	readonly #heap: Holding[] = [];
	readonly #lowerings: number[];
	/** Fenwick tree: how many were on their way at each lowering */
	readonly #underWay: number[];

	constructor(lowerings: number[]) {
		this.#lowerings = lowerings;
		this.#underWay = new Array(lowerings.length + 2).fill(0);
	}

	get size(): number {
		return this.#holdings.size;
	}

	bookings(): number[] {
		return [...this.#holdings].map(({ booking }) => booking);
	}

	change(holding: Holding, by: 1 | -1): void {
		if (by === 1) {
			this.#holdings.add(holding);
			push(this.#heap, holding);
		} else this.#holdings.delete(holding);
		const { from, to } = holding.taken;
		const first = lastAtMost(this.#lowerings, from) + 1;
		const end = lowerBound(this.#lowerings, to);
		if (first < end) {
			this.#add(first, by);
			this.#add(end, -by);
		}
	}

	/** When the youngest of them began. */
	youngest(): number {
		while (this.#heap.length > 0 && !this.#holdings.has(this.#heap[0]!)) pop(this.#heap);
		return this.#heap[0]?.taken.from ?? Number.NEGATIVE_INFINITY;
	}

	/** @param lowering index; -1 where there is none */
	underWayAt(lowering: number): number {
		let sum = 0;
		for (let at = lowering + 1; at > 0; at -= at & -at) sum += this.#underWay[at]!;
		return sum;
	}

	#add(index: number, by: number): void {
		for (let at = index + 1; at < this.#underWay.length; at += at & -at) this.#underWay[at]! += by;
	}
}

const older = (a: Holding, b: Holding) => a.taken.from < b.taken.from;

function push(heap: Holding[], holding: Holding): void {
	let at = heap.push(holding) - 1;
	for (let up = (at - 1) >> 1; at > 0 && older(heap[up]!, heap[at]!); up = (at - 1) >> 1) {
		[heap[at], heap[up]] = [heap[up]!, heap[at]!];
		at = up;
	}
}

function pop(heap: Holding[]): void {
	const last = heap.pop()!;
	if (heap.length === 0) return;
	heap[0] = last;
	for (let at = 0; ; ) {
		let youngest = at;
		for (const below of [2 * at + 1, 2 * at + 2]) {
			if (below < heap.length && older(heap[youngest]!, heap[below]!)) youngest = below;
		}
		if (youngest === at) return;
		[heap[at], heap[youngest]] = [heap[youngest]!, heap[at]!];
		at = youngest;
	}
}
