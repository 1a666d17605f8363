/** Another maximum from one date to another, both included. */
export interface Override {
	id: number;
	date_from: string;
	date_to: string;
	/** null: every slot of the service */
	time_slot_id: number | null;
	max_bookings: number;
}

/** The overrides of a service that are about one date: for each slot the one with the highest id holds. */
export class OverridesOn {
	readonly #ofSlot = new Map<number, Override>();
	#ofAll: Override | undefined;

	constructor(overrides: readonly Override[], date: string) {
		for (const override of overrides) {
			const { id, date_from, date_to, time_slot_id } = override;
			if (date < date_from || date > date_to) continue;
			if (time_slot_id === null) {
				if (id > (this.#ofAll?.id ?? 0)) this.#ofAll = override;
			} else if (id > (this.#ofSlot.get(time_slot_id)?.id ?? 0)) this.#ofSlot.set(time_slot_id, override);
		}
	}

	/** The one that holds; null where the slot's own maximum does. */
	of(time_slot_id: number): Override | null {
		const own = this.#ofSlot.get(time_slot_id);
		if (own === undefined) return this.#ofAll ?? null;
		return (this.#ofAll?.id ?? 0) > own.id ? this.#ofAll! : own;
	}
}
