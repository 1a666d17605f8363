import { Durations } from '../engine/durations.ts';
import type { Labels, Sample } from './metrics.ts';

/** A value for each pair of what two labels have, found without making a string. */
class Pairs<Value> {
	readonly #rows = new Map<string, Map<string | number, Value>>();

	/** The values that go with the first label's value; made when they are missing. */
	row(first: string): Map<string | number, Value> {
		let row = this.#rows.get(first);
		if (row === undefined) {
			row = new Map();
			this.#rows.set(first, row);
		}
		return row;
	}

	*all(): Generator<[string, string | number, Value]> {
		for (const [first, row] of this.#rows) for (const [second, value] of row) yield [first, second, value];
	}
}

/** Durations by what two labels have. */
export class DurationsBy {
	readonly #names: readonly [string, string];
	readonly #pairs = new Pairs<Durations>();

	constructor(...names: [string, string]) {
		this.#names = names;
	}

	of(first: string, second: string): Durations {
		const row = this.#pairs.row(first);
		let found = row.get(second);
		if (found === undefined) {
			found = new Durations();
			row.set(second, found);
		}
		return found;
	}

	*series(): Generator<{ labels: Labels; of: Durations }> {
		for (const [first, second, of] of this.#pairs.all()) yield { labels: labelled(this.#names, first, second), of };
	}
}

/** Counts by what two labels have. */
export class CountsBy {
	readonly #names: readonly [string, string];
	readonly #pairs = new Pairs<number>();

	constructor(...names: [string, string]) {
		this.#names = names;
	}

	/** @param by 0 has the series begin */
	add(first: string, second: string | number, by = 1): void {
		const row = this.#pairs.row(first);
		row.set(second, (row.get(second) ?? 0) + by);
	}

	samples(): Sample[] {
		return [...this.#pairs.all()].map(([first, second, value]) => ({
			labels: labelled(this.#names, first, second),
			value,
		}));
	}
}

function labelled(names: readonly [string, string], first: string, second: string | number): Labels {
	return { [names[0]]: first, [names[1]]: String(second) };
}
