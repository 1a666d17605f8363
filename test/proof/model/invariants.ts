import type { Asked } from '../history.ts';
import type { ModelStore } from './store.ts';

/**
 * What must hold inside the model at every step, whether or not a client could see it:
 * - after every claim that was written, active ≤ the highest maximum since the last lowering that was answered before the
 *   claim's request began, plus those active ones that were on their way at that lowering (promise L8);
 * - in the end, no booking of a deleted service is left, and each version of each booking has one event, in order.
 */
export class Invariants {
	readonly #store: ModelStore;
	readonly #broken = new Set<string>();
	/** Lowerings that were answered, and every maximum with its moment, by slot */
	readonly #lowered: { slot: number; answered: number }[] = [];
	readonly #maxima: { slot: number; max: number; at: number }[] = [];
	readonly #patches = new Map<number, { slot: number; isLower: boolean }>();
	/** For each booking's current place: when the request began that claimed it, and when it was seen there */
	readonly #taken = new Map<number, { place: string; seat: number; begun: number; seen: number }>();

	constructor(store: ModelStore) {
		this.#store = store;
	}

	begin(op: number, asked: Asked): void {
		if (asked.kind !== 'update slots') return;
		const [{ id, max_bookings } = { id: 0, max_bookings: 0 }] = asked.body.time_slots;
		const before = this.#store.slots.get(id)?.max_bookings ?? 0;
		this.#patches.set(op, { slot: id, isLower: max_bookings < before });
	}

	end(op: number, status: number, at: number): void {
		const patch = this.#patches.get(op);
		if (patch?.isLower && status === 200) this.#lowered.push({ slot: patch.slot, answered: at });
	}

	/** To be called after every step. */
	look(at: number): void {
		for (const { id, max_bookings: max } of this.#store.slots.values()) {
			if (this.#maxima.findLast(({ slot }) => slot === id)?.max !== max) this.#maxima.push({ slot: id, max, at });
		}
		for (const { id, place, seat, deleted, time_slot_id, begun } of this.#store.documents.values()) {
			const known = this.#taken.get(id);
			if (deleted || place === '') this.#taken.delete(id);
			else if (known?.place !== place || known.seat !== seat) {
				this.#taken.set(id, { place, seat, begun, seen: at });
				this.#checkPlace(place, time_slot_id, id);
			}
		}
	}

	/** To be called when nothing is under way any more. @returns what was found in all */
	finish(): string[] {
		for (const { id, service_id, deleted } of this.#store.documents.values()) {
			if (this.#store.marks.has(service_id) && !deleted) this.#broken.add(`booking ${id} survives its service`);
		}
		for (const { id, version } of this.#store.documents.values()) {
			const versions = this.#store.log.filter(({ data }) => data.id === id).map(({ data }) => data.version);
			const expected = Array.from({ length: version }, (_, index) => index + 1);
			if (versions.join() !== expected.join()) {
				this.#broken.add(`booking ${id} in version ${version} has events of ${versions.join(', ')}`);
			}
		}
		return [...this.#broken];
	}

	#checkPlace(place: string, slot: number, id: number): void {
		const active = [...this.#taken.values()].filter((taken) => taken.place === place);
		const lowered = this.#lowered.findLast((one) => one.slot === slot && one.answered <= this.#taken.get(id)!.begun);
		const since = lowered?.answered ?? 0;
		const changes = this.#maxima.filter((one) => one.slot === slot);
		const before = changes.findLast(({ at }) => at <= since);
		const max = Math.max(before?.max ?? 0, ...changes.filter(({ at }) => at > since).map((one) => one.max));
		const underWay = lowered ? active.filter(({ begun, seen }) => begun < since && seen > since).length : 0;
		if (active.length > max + underWay) {
			this.#broken.add(`${place}: ${active.length} active, maximum ${max}, ${underWay} on their way`);
		}
	}
}
