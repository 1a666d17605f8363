import type { Person } from '../person.ts';
import type { Booking, Customer } from '../schemas/booking.ts';
import type { CustomerFilters, DirectoryCustomer, KeptEvent } from '../schemas/customer.ts';
import type { ToldOfPerson } from './booking.ts';
import type { Scoped } from './common.ts';
import type { EventPosition } from './notifications.ts';

/** The directory of customers. */
export interface CustomerActions {
	/** Keeps the directory of customers; an entry that is older than what is known is ignored. */
	'customer.record': { params: { entries: DirectoryEntry[] }; result: 'ok' };
	/** The newest first: at most `limit` rows, from `offset`, or those of bookings below the id `below`. */
	'customer.list': {
		params: Scoped & { filters: CustomerFilters; offset: number; limit: number; below?: number | undefined };
		result: { customers: DirectoryCustomer[]; total_items: number };
	};
	/** A piece of what is kept about a person, by booking. */
	'customer.export': { params: Scoped & { person: Person; from: ExportCursor }; result: ExportPiece };
	/** Begins an erasure, which goes on by itself, whatever dies. `bookings`: how many it is about. */
	'customer.erase': { params: Scoped & { person: Person }; result: { bookings: number } };
}

/** Behind the booking `after`; `rest`: with events of these bookings first, which are told as far as that. */
export interface ExportCursor {
	after: number;
	rest?: { booking_ids: number[]; after: EventPosition };
}

export interface ExportPiece extends ToldOfPerson {
	events: KeptEvent[];
	/** How many bookings it begins with */
	begun: number;
	/** The last booking that it is about, or what it was asked for */
	after: number;
	/** null at the end */
	next: ExportCursor | null;
}

/** A customer as of one version of its booking; `customer: null` when the booking was deleted. */
export interface DirectoryEntry extends Scoped, Pick<Booking, 'service_id' | 'date' | 'status'> {
	booking_id: number;
	version: number;
	customer: Customer | null;
	/** Whom the booking's last events, or its first answer, tell of beside its customer */
	former?: Person[];
}
