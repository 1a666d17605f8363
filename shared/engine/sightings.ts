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
export class Sightings<K = number> {
	readonly #clock: Pick<Clock, 'monotonic'>;
	#seen = new Map<K, Sighting>();

	constructor(clock: Pick<Clock, 'monotonic'>) {
		this.#clock = clock;
	}

	/**
	 * Notes what is there now, and forgets what is not any more.
	 * @param states by key; another state is another thing
	 * @returns the keys of those that were there unchanged for `age` ms
	 */
	unchangedFor(age: number, states: ReadonlyMap<K, string>): K[] {
		const now = this.#clock.monotonic();
		const before = this.#seen;
		this.#seen = new Map();
		for (const [key, state] of states) {
			const known = before.get(key);
			this.#seen.set(key, known?.state === state ? known : { state, since: now });
		}
		return [...this.#seen].filter(([, { since }]) => now - since >= age).map(([key]) => key);
	}

	/** ms for which what was there the longest is there; 0 where nothing is. */
	longest(): number {
		const first = Math.min(...[...this.#seen.values()].map(({ since }) => since));
		return this.#seen.size === 0 ? 0 : this.#clock.monotonic() - first;
	}

	/** ms for which this one is there as it was seen last; 0 where it was not. */
	of(key: K): number {
		const seen = this.#seen.get(key);
		return seen === undefined ? 0 : this.#clock.monotonic() - seen.since;
	}
}
