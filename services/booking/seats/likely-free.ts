import { randomIndex } from '../../../shared/engine/ids.ts';

/** Seats that are remembered of an occurrence; so many bookings are made before all are read again */
const REMEMBERED = 2_000;

/**
 * Seats of a crowded occurrence that were free when its seats were last read. They only say where to look first: each is
 * looked at again before it is given out.
 */
export class LikelyFree {
	#seats = new Set<number>();

	/** Some of those that are known, at most `count`. */
	some(count: number): number[] {
		return this.#seats.values().take(count).toArray();
	}

	/** Forgets those that turned out to be held. */
	forget(held: ReadonlySet<number>): void {
		for (const seat of held) this.#seats.delete(seat);
	}

	/** One that was given up a moment ago. */
	add(seat: number): void {
		if (this.#seats.size < REMEMBERED) this.#seats.add(seat);
	}

	/** Remembers some of these in place of what was known, at random: processes then rarely look at the same ones. */
	remember(free: readonly number[]): void {
		const seats = [...free];
		const count = Math.min(REMEMBERED, seats.length);
		for (let index = 0; index < count; index++) {
			const other = index + randomIndex(seats.length - index);
			[seats[index], seats[other]] = [seats[other]!, seats[index]!];
		}
		this.#seats = new Set(seats.slice(0, count));
	}
}
