import { type Impact, MOST_TOLD, type OutOfStep, type OverCapacity, type PromisedBooking } from './schemas/impact.ts';

interface Row {
	date: string;
	time_slot_id: number;
	booking_id?: number;
}

/** Counts all that it is told of, and keeps the first by date, then time slot, then booking. */
class First<T extends Row> {
	#rows: T[] = [];
	#total = 0;

	add(...rows: T[]): void {
		this.#total += rows.length;
		this.#rows.push(...rows);
		if (this.#rows.length > 10 * MOST_TOLD) this.#rows = this.#first();
	}

	/** Of another tally: only the first of them are known. */
	addTold({ total, items }: { total: number; items: T[] }): void {
		this.add(...items);
		this.#total += total - items.length;
	}

	get told(): { total: number; items: T[] } {
		return { total: this.#total, items: this.#first() };
	}

	#first(): T[] {
		return this.#rows.toSorted(inOrder).slice(0, MOST_TOLD);
	}
}

function inOrder(one: Row, other: Row): number {
	if (one.date !== other.date) return one.date < other.date ? -1 : 1;
	return one.time_slot_id - other.time_slot_id || (one.booking_id ?? 0) - (other.booking_id ?? 0);
}

/** An impact in the making. However many bookings it is about, it holds few. */
export class ImpactTally {
	readonly overCapacity = new First<OverCapacity>();
	readonly retired = new First<PromisedBooking>();
	readonly outOfStep = new First<OutOfStep>();

	add({ over_capacity, retired, out_of_step }: Impact): void {
		this.overCapacity.addTold(over_capacity);
		this.retired.addTold(retired);
		this.outOfStep.addTold(out_of_step);
	}

	get impact(): Impact {
		return {
			over_capacity: this.overCapacity.told,
			retired: this.retired.told,
			out_of_step: this.outOfStep.told,
		};
	}
}
