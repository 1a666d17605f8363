import type { Clock } from './clock.ts';

interface Sighting {
	state: string;
	/** Monotonic ms */
	since: number;
}

/**
 * For how long this process has seen things unchanged, by its own monotonic clock. What a dead process left is told so
 * from what a living one is at, without a comparison of two clocks: a moment that another process wrote down may lie an
 * hour ahead.
 */
export class Sightings {
	readonly #clock: Pick<Clock, 'monotonic'>;
	#seen = new Map<number, Sighting>();

	constructor(clock: Pick<Clock, 'monotonic'>) {
		this.#clock = clock;
	}

	/**
	 * Notes what is there now, and forgets what is not any more.
	 * @param states by id; another state is another thing
	 * @returns the ids of those that were there unchanged for `age` ms
	 */
	unchangedFor(age: number, states: ReadonlyMap<number, string>): number[] {
		const now = this.#clock.monotonic();
		const before = this.#seen;
		this.#seen = new Map();
		for (const [id, state] of states) {
			const known = before.get(id);
			this.#seen.set(id, known?.state === state ? known : { state, since: now });
		}
		return [...this.#seen].filter(([, { since }]) => now - since >= age).map(([id]) => id);
	}

	/** ms for which what was there the longest is there; 0 where nothing is. */
	longest(): number {
		const first = Math.min(...[...this.#seen.values()].map(({ since }) => since));
		return this.#seen.size === 0 ? 0 : this.#clock.monotonic() - first;
	}

	/** ms for which this one is there as it was seen last; 0 where it was not. */
	of(id: number): number {
		const seen = this.#seen.get(id);
		return seen === undefined ? 0 : this.#clock.monotonic() - seen.since;
	}
}
