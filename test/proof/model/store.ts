import type { Occupant } from '../../../services/booking/document/keys.ts';
import { previousOf } from '../../../services/booking/document/prepare-update.ts';
import type { Booking, BookingStatus, Customer } from '../../../shared/contract/schemas/booking.ts';
import type { BookingEvent, BookingEventType } from '../../../shared/contract/schemas/event.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import type { DirectoryRecord } from '../history.ts';

/** An event that has no sequence yet. */
export type NewEvent = Omit<BookingEvent, 'sequence'>;

/** A booking as the model's store has it: what of services/booking/document/booking.model.ts its correctness rests on. */
export interface Document {
	id: number;
	service_id: number;
	time_slot_id: number;
	date: string;
	/** As it was when the booking took its place */
	slot: TimeSlot;
	status: BookingStatus;
	cancel_reason: string | null;
	/** As the product's: of what is held, and of what expired */
	expires_at: string | null;
	/** Whether that moment has come; time has no other measure here */
	over: boolean;
	message: string | null;
	customer: Customer;
	place: string;
	seat: number;
	customer_key: string;
	key: string;
	firstAnswer: Booking | undefined;
	version: number;
	deleted: boolean;
	outbox: NewEvent[];
	/** When the request began that claimed the place; nothing decides by it, the invariants look at it */
	begun: number;
}

/** Every method is one read or one write: nothing happens in between. */
export class ModelStore {
	readonly slots = new Map<number, TimeSlot & { gone: boolean }>();
	readonly documents = new Map<number, Document>();
	/** Services with a closure mark */
	readonly marks = new Set<number>();
	readonly log: BookingEvent[] = [];
	readonly directory = new Map<number, DirectoryRecord>();
	#lastId = 0;
	/** Ids of all events, as they were written */
	readonly #order: string[] = [];

	nextId(): number {
		return ++this.#lastId;
	}

	slot(id: number): TimeSlot | undefined {
		const slot = this.slots.get(id);
		return slot === undefined || slot.gone ? undefined : { ...slot };
	}

	find(id: number): Document | undefined {
		const document = this.documents.get(id);
		return document === undefined || document.deleted ? undefined : structuredClone(document);
	}

	findByKey(key: string): Document | undefined {
		for (const document of this.documents.values()) if (document.key === key) return structuredClone(document);
		return undefined;
	}

	occupants(place: string): Occupant[] {
		return this.#holding(place).map((document) => ({
			id: document.id,
			seat: document.seat,
			customerKey: document.customer_key,
			heldUntil: isOver(document) ? NOW : 0,
		}));
	}

	active(place: string): Document[] {
		return structuredClone(this.#holding(place));
	}

	withCustomer(customer_key: string): Document | undefined {
		const found = [...this.documents.values()].find((document) => document.customer_key === customer_key);
		return found && structuredClone(found);
	}

	/** Time goes on: the hold of each booking that is held now ends. */
	endHolds(): void {
		for (const document of this.documents.values()) document.over ||= document.expires_at !== null;
	}

	/** Bookings whose hold has ended, and that nobody has cancelled. */
	expired(): Document[] {
		return structuredClone([...this.documents.values()].filter(isOver));
	}

	insert(document: Document): 'written' | 'duplicate key' {
		if (this.documents.has(document.id) || this.#collides(document)) return 'duplicate key';
		this.#order.push(...document.outbox.map(({ id }) => id));
		this.documents.set(document.id, structuredClone(document));
		return 'written';
	}

	/** Compare-and-set on the version; `event` goes into the outbox in the same write. */
	update(
		id: number,
		version: number,
		change: Partial<Document>,
		event: NewEvent,
	): 'written' | 'stale' | 'duplicate key' {
		const document = this.documents.get(id);
		if (!document || document.deleted || document.version !== version) return 'stale';
		const after = { ...document, ...structuredClone(change), version: version + 1 };
		if (this.#collides(after)) return 'duplicate key';
		after.outbox = [...document.outbox, structuredClone(event)];
		this.#order.push(event.id);
		this.documents.set(id, after);
		return 'written';
	}

	freeKey(id: number): void {
		const document = this.documents.get(id);
		if (document) document.key = filler(id);
	}

	/** Ids of the bookings that a service's lists still show. */
	listed(service_id: number): number[] {
		return [...this.documents.values()]
			.filter((one) => one.service_id === service_id && !one.deleted)
			.map((one) => one.id);
	}

	/** What closing a service does to one of its bookings: the keys stay, the place until that is told. No slot id is used again. */
	close(id: number, service_id: number): void {
		const document = this.documents.get(id)!;
		if (document.deleted || document.service_id !== service_id) return;
		document.deleted = true;
		document.version++;
		const event = eventOf('booking.deleted', document);
		document.outbox.push(event);
		this.#order.push(event.id);
	}

	/**
	 * Events of an outbox, and those of others that were written before one of them and wait, in the order of their changes.
	 * The product reads those only that gave up what these take.
	 */
	withThoseBefore(outbox: NewEvent[]): NewEvent[] {
		const all = [...this.documents.values()].flatMap((document) => document.outbox);
		const turn = ({ id }: NewEvent) => this.#order.indexOf(id);
		const last = Math.max(...outbox.map(turn));
		const events = new Map(
			[...all, ...outbox].filter((event) => turn(event) <= last).map((event) => [event.id, event]),
		);
		return structuredClone([...events.values()].sort((one, other) => turn(one) - turn(other)));
	}

	/** In order, without those that are there. */
	append(events: NewEvent[]): void {
		for (const event of events) {
			if (this.log.some(({ id }) => id === event.id)) continue;
			this.log.push({ ...structuredClone(event), sequence: this.log.length + 1 });
		}
	}

	/** Brings the customers' directory up to this version of a booking; a newer one stays. */
	record({ id, version, deleted, customer }: Document): void {
		if ((this.directory.get(id)?.version ?? 0) >= version) return;
		this.directory.set(id, { booking_id: id, version, customer: deleted ? null : structuredClone(customer) });
	}

	/**
	 * Empties an outbox; a deletion that is told gives up its place.
	 * @param version only where the booking still has it; undefined: whatever it has
	 */
	clear(id: number, version: number | undefined): void {
		const document = this.documents.get(id);
		if (!document || (version !== undefined && document.version !== version)) return;
		document.outbox = [];
		if (document.deleted) document.place = '';
	}

	/** As the API shows it. */
	shown(id: number): Booking {
		const document = this.documents.get(id)!;
		return structuredClone(toBooking(document));
	}

	undelivered(): Document[] {
		return structuredClone([...this.documents.values()].filter(({ outbox }) => outbox.length > 0));
	}

	#holding(place: string): Document[] {
		return [...this.documents.values()].filter((document) => document.place === place);
	}

	/** The three unique indexes. */
	#collides(document: Document): boolean {
		for (const other of this.documents.values()) {
			if (other.id === document.id) continue;
			if (document.place !== '' && other.place === document.place && other.seat === document.seat) return true;
			if (other.customer_key === document.customer_key || other.key === document.key) return true;
		}
		return false;
	}
}

/** Holds end at one moment only, for all there are */
export const NOW = 1;

export function isOver({ status, deleted, expires_at, over }: Document): boolean {
	return over && expires_at !== null && status === 'pending' && !deleted;
}

/** As in services/booking/holds/holds.ts: one write, of the booking as it was read. @returns the booking after it */
export function expire(store: ModelStore, before: Document): Document | undefined {
	if (!isOver(before)) return undefined;
	const change = { status: 'cancelled' as const, cancel_reason: 'expired', ...freed(before) };
	const after = { ...before, ...change, version: before.version + 1 };
	const event = eventOf('booking.cancelled', after, before);
	if (store.update(before.id, before.version, change, event) !== 'written') return undefined;
	return { ...after, outbox: [...before.outbox, event] };
}

/** @param identity of the customer; null where no duplicate can be told */
export function customerKeyOf(place: string, identity: string | null): string | null {
	return identity === null ? null : `${place}:${identity}`;
}

export function filler(id: number): string {
	return `free:${id}`;
}

/** The keys of a booking that holds no place. */
export function freed({ id }: Document) {
	return { place: '', seat: -1, customer_key: filler(id) };
}

/** Without what only the model knows of it. */
function slotAsShown({ id, service_id: _, ...slot }: TimeSlot, service_id: number): TimeSlot {
	const { day_of_week, start_time, end_time, max_bookings, valid_from, valid_until, created_at, updated_at } = slot;
	const times = { start_time, end_time, valid_from, valid_until };
	return { id, service_id, day_of_week, max_bookings, ...times, created_at, updated_at };
}

export function toBooking(document: Document): Booking {
	const { id, service_id, date, time_slot_id, slot, status, cancel_reason, message, customer, version } = document;
	const { expires_at } = document;
	return {
		id,
		service_id,
		date,
		time_slot_id,
		starts_at: slot.start_time,
		ends_at: slot.end_time,
		timezone: 'UTC',
		status,
		...(status === 'cancelled' ? { cancel_reason: cancel_reason ?? '' } : {}),
		expires_at,
		message,
		metadata: {},
		customer,
		customer_id: id,
		time_slot: slotAsShown(slot, service_id),
		user_id: 'model',
		version,
		created_at: 'at first',
		updated_at: `at version ${version}`,
	};
}

export function eventOf(type: BookingEventType, after: Document, before: Document = after): NewEvent {
	const data = structuredClone(toBooking(after));
	const previous = previousOf(structuredClone(toBooking(before)), data);
	return { id: `evt_${after.id}_${after.version}`, type, timestamp: data.updated_at, data, previous };
}
