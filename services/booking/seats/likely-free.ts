import { randomIndex } from '../../../shared/engine/ids.ts';

/** Seats that are remembered of an occurrence, 8 bytes each; so many bookings are made before all are read again */
const REMEMBERED = 4_000;

/**
 * Seats of a crowded occurrence that were free when its seats were last read. They only say where to look first: each is
 * looked at again before it is given out.
 */
export class LikelyFree {
	#seats: number[] = [];

	/** Some of those that are known, at most `count`; undefined where none is. */
	some(count: number): number[] | undefined {
		return this.#seats.length === 0 ? undefined : this.#seats.slice(-count);
	}

	/** Forgets those that turned out to be held. */
	forget(held: ReadonlySet<number>): void {
		this.#seats = this.#seats.filter((seat) => !held.has(seat));
	}

	/** Remembers some of these in place of what was known, at random: processes then rarely look at the same ones. */
	remember(free: readonly number[]): void {
		const seats = [...free];
		const count = Math.min(REMEMBERED, seats.length);
		for (let index = 0; index < count; index++) {
			const other = index + randomIndex(seats.length - index);
			[seats[index], seats[other]] = [seats[other]!, seats[index]!];
		}
		this.#seats = seats.slice(0, count);
	}
}
