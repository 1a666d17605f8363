import type { Booking, CreateBooking, UpdateBooking } from '../../shared/contract/schemas/booking.ts';
import type { BookingEvent, BookingEventType } from '../../shared/contract/schemas/event.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { expectedPrevious } from './checker/explain.ts';
import type { Answered, Asked, History, Operation, Outcome } from './history.ts';
import { outcomeOf } from './history.ts';

/** From its request to its answer, ms; an end of Infinity: no answer came */
type Interval = [from: number, to: number];

const END = 1_000_000; // ms; when the final state is read

export const SLOT: TimeSlot = {
	id: 7,
	service_id: 1,
	day_of_week: 1,
	start_time: '2026-01-05 09:00:00',
	end_time: '2026-01-05 10:00:00',
	max_bookings: 1,
	valid_from: null,
	valid_until: null,
	created_at: '',
	updated_at: '',
};
export const DATE = '2027-01-04';

/** Tells a history by hand: who asked for what from when to when, and what came of it. Nothing here checks anything. */
export class Story {
	readonly operations: Operation[] = [];
	readonly bookings = new Map<number, Booking>();
	readonly events: BookingEvent[] = [];
	#slot: TimeSlot;
	#services = [1];

	/** @param max of the only slot */
	constructor(max: number) {
		this.#slot = { ...SLOT, max_bookings: max };
		this.#add([0, 1], { kind: 'create service', body: { time_slots: [] } }, { status: 201, data: { id: 1 } });
		this.#add([2, 3], { kind: 'list slots', service_id: 1 }, { status: 200, data: [{ ...this.#slot }] });
	}

	/** A booking that is made; with an end of Infinity nobody is told. */
	make(id: number, interval: Interval, more: Partial<CreateBooking> & { key?: string } = {}): this {
		const { key, ...body } = { date: DATE, time_slot_id: SLOT.id, message: `booking ${id}`, ...more };
		const booking: Booking = {
			id,
			service_id: 1,
			date: body.date,
			time_slot_id: SLOT.id,
			starts_at: '',
			ends_at: '',
			timezone: 'UTC',
			status: 'pending',
			expires_at: null,
			message: body.message,
			metadata: {},
			customer: {
				id,
				name: body.customer_name ?? null,
				email: body.customer_email ?? null,
				phone: body.customer_phone ?? null,
				created_at: '',
				updated_at: '',
			},
			customer_id: id,
			time_slot: { ...this.#slot },
			user_id: 'story',
			version: 1,
			created_at: '',
			updated_at: 'version 1',
		};
		this.bookings.set(id, booking);
		this.tell('booking.created', booking);
		return this.#add(interval, { kind: 'create', body, key }, { status: 201, data: booking, replayed: false });
	}

	/** A creation that is refused. */
	refuse(interval: Interval, error: string, more: Partial<CreateBooking> & { key?: string } = {}): this {
		const { key, ...body } = { date: DATE, time_slot_id: SLOT.id, message: 'refused', ...more };
		return this.#add(interval, { kind: 'create', body, key }, { status: 400, error });
	}

	/** The first answer once more. */
	replay(id: number, interval: Interval, key: string, more: Partial<CreateBooking> = {}): this {
		const body = { date: DATE, time_slot_id: SLOT.id, message: `booking ${id}`, ...more };
		const { data } = this.events.find((event) => event.id === `evt_${id}_1`)!;
		return this.#add(interval, { kind: 'create', body, key }, { status: 201, data, replayed: true });
	}

	change(id: number, interval: Interval, body: UpdateBooking): this {
		const before = this.bookings.get(id)!;
		const status = body.status ?? before.status;
		const { cancel_reason: _, ...kept } = before;
		const after = {
			...kept,
			status,
			...(status === 'cancelled' ? { cancel_reason: body.cancel_reason ?? before.cancel_reason ?? '' } : {}),
			date: body.date ?? before.date,
			message: body.message ?? before.message,
			version: before.version + 1,
			updated_at: `version ${before.version + 1}`,
		};
		this.bookings.set(id, after);
		const type = status === before.status || status === 'pending' ? 'booking.updated' : (`booking.${status}` as const);
		this.tell(type, after);
		return this.#add(interval, { kind: 'update', booking_id: id, body }, { status: 200, data: after });
	}

	delete(id: number, interval: Interval): this {
		const before = this.bookings.get(id)!;
		this.bookings.delete(id);
		const version = before.version + 1;
		this.tell('booking.deleted', { ...before, version, updated_at: `version ${version}` });
		return this.#add(interval, { kind: 'delete', booking_id: id }, { status: 200, data: 'ok' });
	}

	/** The service is deleted, and what is booked with it. */
	closeService(interval: Interval): this {
		for (const before of this.bookings.values()) {
			const version = before.version + 1;
			this.tell('booking.deleted', { ...before, version, updated_at: `version ${version}` });
		}
		this.bookings.clear();
		this.#services = [];
		return this.#add(interval, { kind: 'delete service', service_id: 1 }, { status: 200, data: 'ok' });
	}

	look(id: number, interval: Interval, shown = this.bookings.get(id)): this {
		const answered = shown ? { status: 200, data: shown } : { status: 404, error: 'booking not found' };
		return this.#add(interval, { kind: 'get', booking_id: id }, answered);
	}

	/** The feed behind `after`, or that this is beyond its end. */
	lookAtFeed(after: number, interval: Interval, isBeyond = after > this.events.length): this {
		const data = { events: this.events.slice(after), has_more: false, next_after: this.events.length };
		const answered = isBeyond ? { status: 410, error: 'events expired' } : { status: 200, data };
		return this.#add(interval, { kind: 'events', after }, answered);
	}

	setMaximum(max_bookings: number, interval: Interval): this {
		this.#slot = { ...this.#slot, max_bookings };
		const body = { time_slots: [{ id: SLOT.id, max_bookings }] };
		return this.#add(interval, { kind: 'update slots', body }, { status: 200, data: {} });
	}

	/** Adds an event to the feed as it is. */
	tell(type: BookingEventType, data: Booking): this {
		const id = `evt_${data.id}_${data.version}`;
		const before = this.events.findLast((event) => event.data.id === data.id)?.data;
		const previous = before === undefined || type === 'booking.deleted' ? {} : expectedPrevious(before, data);
		this.events.push({ id, type, timestamp: data.updated_at, sequence: this.events.length + 1, data, previous });
		return this;
	}

	end(): History {
		const bookings = [...this.bookings.values()];
		const final = {
			account: 'story',
			time: END,
			until: END + 1,
			services: this.#services,
			bookings,
			events: this.events,
		};
		return structuredClone({ account: 'story', operations: this.operations, final });
	}

	#add([from, to]: Interval, asked: Asked, answer: Answered): this {
		const isKnown = to !== Number.POSITIVE_INFINITY;
		const outcome: Outcome = isKnown ? outcomeOf(answer.status) : 'unknown';
		const answered = isKnown ? answer : undefined;
		const ended = isKnown ? to : from + 1;
		const op = this.operations.length + 1;
		this.operations.push({ op, client: 1, account: 'story', asked, from, to, outcome, answered, ended });
		return this;
	}
}
