import { occurrenceName } from '../../../services/booking/document/keys.ts';
import type {
	Booking,
	CreateBooking,
	UpdateBooking,
	UpdateCustomer,
} from '../../../shared/contract/schemas/booking.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { identityOf } from '../checker/holdings.ts';
import { NewBooking } from './new-booking.ts';
import { type Claim, type ModelPlaces, type Planted, Refusal } from './places.ts';
import type { Scheduler, Work } from './scheduler.ts';
import {
	customerKeyOf,
	type Document,
	eventOf,
	expire,
	filler,
	freed,
	isOver,
	type ModelStore,
	toBooking,
} from './store.ts';

/** Fields of a booking that a change sets. */
type Change = Partial<
	Pick<
		Document,
		| 'status'
		| 'expires_at'
		| 'over'
		| 'service_id'
		| 'time_slot_id'
		| 'date'
		| 'slot'
		| 'message'
		| 'cancel_reason'
		| 'customer'
	>
>;

/**
 * The booking service of one process, step by step: every `yield` stands before one read or write of the store, and
 * anything of the other processes may happen there. What decides (who gets a seat, who is refused) is the product's own
 * code; what is modelled is the order of reads and writes around it.
 */
export class ModelEngine {
	readonly #process: number;
	readonly #store: ModelStore;
	readonly #scheduler: Scheduler;
	readonly #places: ModelPlaces;
	readonly #planted: Planted;

	constructor(process: number, store: ModelStore, scheduler: Scheduler, places: ModelPlaces, planted: Planted) {
		this.#process = process;
		this.#store = store;
		this.#scheduler = scheduler;
		this.#places = places;
		this.#planted = planted;
	}

	*create(body: CreateBooking, key: string | undefined, begun: number): Work<{ data: Booking; replayed: boolean }> {
		yield;
		const earlier = this.#firstAnswer(key);
		if (earlier) return { data: earlier, replayed: true };
		const booking = new NewBooking(this.#store, this.#planted, body, key, begun);
		try {
			yield* this.#places.claim(booking);
		} catch (error) {
			yield;
			const meanwhile = this.#firstAnswer(key);
			if (!meanwhile) throw error;
			return { data: meanwhile, replayed: true };
		}
		this.#scheduler.spawn(this.#process, this.deliver(booking.document));
		return { data: booking.document.firstAnswer!, replayed: false };
	}

	*update(id: number, body: UpdateBooking, begun: number): Work<Booking> {
		return yield* this.#change(id, begun, (before) => updateOf(before, body));
	}

	*updateCustomer(id: number, body: UpdateCustomer): Work<Booking> {
		return yield* this.#change(id, 0, ({ customer }) => ({ customer: { ...customer, ...body } }));
	}

	*delete(id: number): Work {
		for (;;) {
			const before = yield* this.#subject(id);
			if (isOver(before)) {
				yield* this.#expire(before);
				continue;
			}
			const gone = { ...freed(before), deleted: true };
			const after = { ...before, ...gone, version: before.version + 1 };
			const event = eventOf('booking.deleted', after);
			yield;
			if (this.#store.update(id, before.version, gone, event) !== 'written') continue;
			this.#scheduler.spawn(this.#process, this.deliver({ ...after, outbox: [...before.outbox, event] }));
			return;
		}
	}

	/** As in services/booking/close-service.ts, a page being one booking. */
	*close(service_id: number): Work {
		yield;
		this.#store.marks.add(service_id);
		for (;;) {
			yield;
			const [id] = this.#store.listed(service_id);
			if (id === undefined) return;
			yield;
			this.#store.close(id, service_id);
		}
	}

	/** The relay: the whole outbox, as it was read, behind what waits from before it, to the log, then to the directory; empties it unless it moved on. */
	*deliver(document: Document): Work {
		const { clearBeforeRecord, clearWithoutVersion, tellTakersFirst } = this.#planted;
		yield;
		const events = tellTakersFirst ? document.outbox : this.#store.withThoseBefore(document.outbox);
		yield;
		this.#store.append(events);
		yield;
		if (!clearBeforeRecord) this.#store.record(document);
		yield;
		this.#store.clear(document.id, clearWithoutVersion ? undefined : document.version);
		yield;
		if (clearBeforeRecord) this.#store.record(document);
	}

	/** As in services/booking/holds/hold-sweeper.ts. */
	*sweepHolds(): Work {
		yield;
		for (const document of this.#store.expired()) yield* this.#expire(document);
	}

	/** For what a dead process left: bookings of a closed service are removed first. */
	*sweep(): Work {
		yield;
		for (const document of this.#store.undelivered()) {
			yield;
			if (this.#store.marks.has(document.service_id) && !document.deleted) {
				yield;
				this.#store.close(document.id, document.service_id);
			} else yield* this.deliver(document);
		}
	}

	#firstAnswer(key: string | undefined): Booking | undefined {
		return key === undefined ? undefined : this.#store.findByKey(key)?.firstAnswer;
	}

	/** As in services/booking/find-booking.ts: where its events wait, it may outlive its service; whoever sees that ends it. */
	*#subject(id: number): Work<Document> {
		for (;;) {
			yield;
			const before = this.#store.find(id);
			if (!before) throw new Refusal(404, 'booking not found');
			if (before.outbox.length === 0) return before;
			yield;
			if (!this.#store.marks.has(before.service_id)) return before;
			yield;
			this.#store.close(id, before.service_id);
		}
	}

	/** A move looks at the slot as it is now. */
	*#slotNow(time_slot_id: number): Work<TimeSlot> {
		yield;
		const slot = this.#store.slot(time_slot_id);
		if (!slot) throw new Refusal(404, 'time slot not found');
		return slot;
	}

	/** Where a booking moved to a service that is closed, it goes with it; else it is told. */
	*#tell(before: Document, { document }: Changed): Work {
		if (document.service_id !== before.service_id) {
			yield;
			if (this.#store.marks.has(document.service_id)) {
				yield;
				return this.#store.close(document.id, document.service_id);
			}
		}
		this.#scheduler.spawn(this.#process, this.deliver(document));
	}

	*#change(id: number, begun: number, plan: (before: Document) => Change): Work<Booking> {
		for (;;) {
			const before = yield* this.#subject(id);
			if (isOver(before)) {
				yield* this.#expire(before);
				continue;
			}
			const change = plan(before);
			if (isMoved(before, { ...before, ...change })) {
				change.slot = yield* this.#slotNow(change.time_slot_id!);
				change.service_id = change.slot.service_id;
			}
			const after = { ...before, ...change };
			if (JSON.stringify(after) === JSON.stringify(before)) return toBooking(before);
			const changed = claimsPlace(before, after)
				? yield* this.#move(before, change, begun)
				: yield* this.#write(before, change);
			if (changed === 'stale') continue;
			yield* this.#tell(before, changed);
			return changed.shown;
		}
	}

	/** Whoever meets it: its end is written, and then it is looked at again. */
	*#expire(before: Document): Work {
		yield;
		const ended = expire(this.#store, before);
		if (ended !== undefined) this.#scheduler.spawn(this.#process, this.deliver(ended));
	}

	*#write(before: Document, change: Change): Work<Changed | 'stale'> {
		const after = { ...before, ...change };
		const keys = after.status === 'cancelled' ? freed(before) : { customer_key: keyOfCustomer(after) };
		const changed = changedBy(before, { ...change, ...keys });
		yield;
		const outcome = this.#store.update(before.id, before.version, { ...change, ...keys }, changed.event);
		if (outcome === 'written') return changed;
		if (outcome === 'duplicate key') {
			yield;
			const other = this.#store.withCustomer(keys.customer_key);
			if (other !== undefined && isOver(other)) yield* this.#expire(other);
			else if (other !== undefined) throw new Refusal(400, 'duplicate booking');
		}
		return 'stale';
	}

	*#move(before: Document, change: Change, begun: number): Work<Changed | 'stale'> {
		const after = { ...before, ...change };
		const store = this.#store;
		let changed: Changed | undefined;
		const claim: Claim = {
			movedId: before.id,
			customerKey: customerKeyOf(occurrenceName(after.time_slot_id, after.date), identityOf(after.customer)),
			time_slot_id: after.time_slot_id,
			date: after.date,
			*write(seat, slot) {
				const place = occurrenceName(after.time_slot_id, after.date);
				const all = { ...change, slot, place, seat, customer_key: keyOfCustomer(after), begun };
				changed = changedBy(before, all);
				yield;
				return store.update(before.id, before.version, all, changed.event);
			},
		};
		return (yield* this.#places.claim(claim)) === 'stale' ? 'stale' : changed!;
	}
}

interface Changed {
	document: Document;
	shown: Booking;
	event: ReturnType<typeof eventOf>;
}

function changedBy(before: Document, change: Partial<Document>): Changed {
	const document = { ...before, ...change, version: before.version + 1 };
	const type =
		document.status === before.status || document.status === 'pending'
			? 'booking.updated'
			: (`booking.${document.status}` as const);
	const event = eventOf(type, document, before);
	document.outbox = [...before.outbox, event];
	return { document, shown: event.data, event };
}

function updateOf(before: Document, body: UpdateBooking): Change {
	const status = body.status ?? before.status;
	const hasExpired = before.status === 'cancelled' && before.expires_at !== null;
	if (hasExpired && status === 'confirmed') throw new Refusal(400, 'hold expired');
	const keeps = status === before.status && status !== 'confirmed';
	return {
		status,
		expires_at: keeps ? before.expires_at : null,
		...(keeps ? {} : { over: false }), // else it stays what it has become meanwhile
		time_slot_id: body.time_slot_id ?? before.time_slot_id,
		date: body.date ?? before.date,
		message: body.message === undefined ? before.message : body.message,
		cancel_reason: status === 'cancelled' ? (body.cancel_reason ?? before.cancel_reason) : null,
	};
}

function claimsPlace(before: Document, after: Document): boolean {
	if (after.status === 'cancelled') return false;
	return before.status === 'cancelled' || isMoved(before, after);
}

function isMoved(before: Document, after: Document): boolean {
	return before.date !== after.date || before.time_slot_id !== after.time_slot_id;
}

function keyOfCustomer({ id, time_slot_id, date, customer }: Document): string {
	return customerKeyOf(occurrenceName(time_slot_id, date), identityOf(customer)) ?? filler(id);
}
