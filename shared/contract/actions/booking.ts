import type { Person } from '../person.ts';
import type { Refused } from '../refused.ts';
import type { AuditPage, AuditParams, BookingReport, OutboxReport, PlaceReport, QueueReport } from '../reports.ts';
import type { Alternative, AvailabilityEntry } from '../schemas/availability.ts';
import type {
	Booking,
	BookingFilters,
	BookingSort,
	CreateBooking,
	Customer,
	UpdateBooking,
	UpdateCustomer,
} from '../schemas/booking.ts';
import type { FirstAnswer } from '../schemas/customer.ts';
import type { Impact } from '../schemas/impact.ts';
import type { TimeSlot } from '../schemas/time-slot.ts';
import type { NextOccurrences, OccurrencesParams, SlotPlan } from './catalog.ts';
import type { Created, Idempotency, IfMatch, Scoped } from './common.ts';

/** Bookings, each with its customer. */
export interface BookingActions {
	'booking.create': { params: Scoped & CreateBookingParams; result: Created<Booking> };
	/**
	 * A page of at most `limit` rows: the ids of all, and the first `piece` of them. `last_at`: what the last row was sorted by when
	 * the page was chosen, `starts_at` as ms; an earlier release does not tell it.
	 */
	'booking.list': {
		params: Scoped & BookingListParams;
		result: { bookings: Booking[]; ids: number[]; last_at?: string | number | undefined; total_items: number };
	};
	/** Those bookings of a page that the list still has, in the order of the ids. */
	'booking.listed': {
		params: Scoped & Pick<BookingListParams, 'service_id' | 'filters'> & { ids: readonly number[] };
		result: Booking[];
	};
	'booking.get': { params: Scoped & { booking_id: number }; result: Booking };
	/** `read_only`: fields of the body that it does not take; each must be what is there, or 400. */
	'booking.update': {
		params: Scoped & BookingUpdateParams;
		result: Booking;
	};
	'booking.delete': { params: Scoped & { booking_id: number; if_match?: IfMatch }; result: 'ok' };
	/** The `ok` of a deletion was sent to the client. */
	'booking.deletionAnswered': { params: Scoped & { booking_id: number }; result: 'ok' };
	'booking.getCustomer': { params: Scoped & { booking_id: number }; result: VersionedCustomer };
	'booking.updateCustomer': {
		params: Scoped & { booking_id: number; body: UpdateCustomer; if_match?: IfMatch };
		result: VersionedCustomer;
	};
	'booking.availability': {
		params: Scoped & OccurrencesParams & { ignore_rules?: boolean };
		result: { availability: AvailabilityEntry[]; next: NextOccurrences | null };
	};
	/** At most `count`, the nearest in time first. */
	'booking.alternatives': {
		params: Scoped & { time_slot_id: number; date: string; count: number; ignore_rules?: boolean };
		result: Alternative[];
	};
	/** Ids of a service's bookings, cancelled ones too: those to come, the soonest first; then those before, the latest first. */
	'booking.calendar': { params: Scoped & CalendarParams; result: number[] };
	/** What a calendar shows of those of these bookings that the service still lists. */
	'booking.calendarEntries': {
		params: Scoped & { service_id: number; include_customers: boolean; ids: readonly number[] };
		result: CalendarEntry[];
	};
	/** What a change of a service's schedule would mean for its bookings. */
	'booking.impact': { params: Scoped & ImpactParams; result: Impact };
	/** Bookings that are not cancelled, by service id. */
	'booking.counts': { params: Scoped & { service_ids: number[] }; result: Record<number, number> };
	/** Those of a service's slots that some booking is of which is not deleted. */
	'booking.bookedSlots': { params: Scoped & { service_id: number; time_slot_ids: number[] }; result: number[] };
	/** Removes every booking of a deleted service. Repeatable. */
	'booking.closeService': { params: Scoped & ServiceClosure; result: 'ok' };
	/** Ids above `after` of bookings that are for a person, ascending, deleted ones that still say so among them. */
	'booking.ofPerson': { params: Scoped & { person: Person; after: number; limit: number }; result: number[] };
	/** What these bookings tell of a person. */
	'booking.toldOfPerson': { params: Scoped & { person: Person; booking_ids: number[] }; result: ToldOfPerson };
	/** An id above those of all bookings that are there by now. First, the events of the account that wait are delivered. */
	'booking.upTo': { params: Scoped; result: { booking_id: number } };
	/** Takes a person out of bookings that are, or were, for that person. Repeatable. */
	'booking.erasePerson': { params: Scoped & { person: Person; booking_ids: number[] }; result: 'ok' };
	/** Once the feed says so: until then such bookings keep their customer's place in their occurrence. Repeatable. */
	'booking.releaseErased': { params: Scoped & { booking_ids: number[] }; result: 'ok' };
	/** For operators, as are the next ones: of every account. One page of the audit. */
	'booking.audit': { params: AuditParams; result: AuditPage };
	/** @throws time_slot_not_found */
	'booking.showPlace': { params: { time_slot_id: number; date: string }; result: PlaceReport };
	'booking.showBooking': { params: Scoped & { booking_id: number }; result: BookingReport | Refused };
	/** Of the process that answers: ask each one by its node. `occurrence`: only what waits for this one. */
	'booking.queues': {
		params: { occurrence?: { account_id: string; time_slot_id: number; date: string } };
		result: QueueReport;
	};
	'booking.outbox': { params: Record<string, never>; result: OutboxReport };
}

/** From one moment to another, ms; `backwards`: the last ones first. Without `include_customers` nobody is told of. */
export interface CalendarParams {
	service_id: number;
	/** ms, as the following */
	from: number;
	now: number;
	to: number;
	limit: number;
}

/** What a calendar shows of a booking. */
export interface CalendarEntry
	extends Pick<Booking, 'id' | 'status' | 'starts_at' | 'ends_at' | 'version' | 'created_at' | 'updated_at'> {
	/** null where the feed does not tell */
	customer: Pick<Customer, 'name' | 'email' | 'phone'> | null;
}

/** The schedule as it would be, and the part of it that is asked about: some slots, on dates from one to another. */
export interface ImpactParams {
	plan: SlotPlan;
	/** Of these, those that `plan` does not have would be retired */
	slot_ids: number[];
	from: string;
	to: string;
}

/** Slots and time zone are kept for the events of bookings that do not say what they were promised. */
export interface ServiceClosure {
	service_id: number;
	slots: TimeSlot[];
	timezone: string;
}

export interface VersionedCustomer {
	customer: Customer;
	version: number;
}

/** `service_id`: from the query; the body may carry its own, and both must agree (the gateway checks that). */
export interface CreateBookingParams {
	service_id?: number;
	body: CreateBooking;
	/** Sets the rules of the service aside */
	ignore_rules?: boolean;
	idempotency?: Idempotency;
}

export interface BookingUpdateParams {
	booking_id: number;
	body: UpdateBooking;
	read_only?: Record<string, unknown>;
	/** Sets the rules of the service aside */
	ignore_rules?: boolean;
	if_match?: IfMatch;
}

export interface BookingListParams {
	/** Left out: all services of the account */
	service_id?: number;
	filters: BookingFilters;
	sort?: BookingSort;
	offset: number;
	limit: number;
	/** Rows that this answer tells */
	piece: number;
}

/** By id. */
export interface ToldOfPerson {
	bookings: Booking[];
	first_answers: FirstAnswer[];
}
