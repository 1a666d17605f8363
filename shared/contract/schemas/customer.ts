import { Booking, BookingStatus, Customer } from './booking.ts';
import { BookingEvent } from './event.ts';
import { Pagination } from './pagination.ts';
import { Email, Id, Nullable, Phone, PlainDate, type Static, Timestamp, Type } from './schema.ts';

/** An entry of the directory: whom one booking is for. */
export const DirectoryCustomer = Type.Object({
	id: Id('Customer'),
	name: Customer.properties.name,
	email: Customer.properties.email,
	phone: Customer.properties.phone,
	booking_id: Id('Booking'),
	service_id: Id('Service'),
	date: PlainDate('Date of the booking'),
	status: BookingStatus,
});
export type DirectoryCustomer = Static<typeof DirectoryCustomer>;

export const CustomerList = Type.Object({ customers: Type.Array(DirectoryCustomer), pagination: Pagination });
export type CustomerList = Static<typeof CustomerList>;

const email = Type.Optional(Email('E-mail address, case-insensitive'));
const phone = Type.Optional(Phone('Phone number'));

/** Whom it is about. */
export const CustomerFilters = Type.Object({ email, phone });
export type CustomerFilters = Static<typeof CustomerFilters>;

const KeptEvent = Type.Object({
	event: BookingEvent,
	deliveries: Type.Array(
		Type.Object({
			delivery_id: Id('Delivery'),
			webhook_id: Id('Webhook'),
			status: Type.String({ description: '`pending`, `delivered` or `failed`' }),
		}),
		{ description: 'To which webhooks it was or will be sent' },
	),
});

const FirstAnswer = Type.Object({
	kept_until: Timestamp('When it is 24 h old'),
	answer: Booking,
});

/** Everything that is kept about a person. */
export const PersonExport = Type.Object({
	email: Nullable(Email('The address that was asked for, in lower case')),
	phone: Nullable(Phone('The number that was asked for')),
	exported_at: Timestamp('When it was read'),
	bookings: Type.Array(Booking, { description: 'Those that are for this person, by id' }),
	first_answers: Type.Array(FirstAnswer, {
		description: 'What an Idempotency-Key still answers that tells of this person',
	}),
	events: Type.Array(KeptEvent, {
		description: 'Events that tell of this person, also of bookings that were deleted or are for somebody else now',
	}),
	has_more: Type.Boolean({ description: 'Whether there is more about bookings with higher ids' }),
	next_after: Type.Integer({ minimum: 0, description: 'The `after` to go on with' }),
});
export type PersonExport = Static<typeof PersonExport>;
export type KeptEvent = Static<typeof KeptEvent>;
export type FirstAnswer = Static<typeof FirstAnswer>;

export const Erasure = Type.Object({ bookings: Type.Integer({ minimum: 0 }) });
export type Erasure = Static<typeof Erasure>;
