import { Metadata, MetadataChange } from './metadata.ts';
import { Pagination } from './pagination.ts';
import {
	Email,
	ExpectedVersion,
	Id,
	Moment,
	Name,
	Nullable,
	Phone,
	PlainDate,
	type Static,
	Text,
	Timestamp,
	Type,
	Version,
} from './schema.ts';
import { TimeSlot } from './time-slot.ts';

const CustomerName = Nullable(Name(255), {
	description: 'At most 255 characters, at least one of them visible',
	examples: ['Ada Lovelace'],
});
const CustomerEmail = Nullable(Email('E-mail address'), { examples: ['ada@example.com'] });
const CustomerPhone = Nullable(Phone('Phone number in E.164'), { examples: ['+15550100'] });
const Message = Nullable(Text(1000), { description: 'Notes, at most 1000 characters', examples: ['Window seat'] });
const CancelReason = Text(1000, { minLength: 1, description: '1 to 1000 characters', examples: ['Caught a cold'] });

export const BookingStatus = Type.Union([
	Type.Literal('pending'),
	Type.Literal('confirmed'),
	Type.Literal('cancelled'),
]);
export type BookingStatus = Static<typeof BookingStatus>;

const HoldMinutes = Nullable(Type.Integer({ minimum: 1, maximum: 10_080 }), {
	description: 'Minutes from now at which the booking is cancelled, unless it is confirmed: 1 to 10080',
});

export const Customer = Type.Object({
	id: Id('Customer'),
	name: CustomerName,
	email: CustomerEmail,
	phone: CustomerPhone,
	created_at: Timestamp('When it was made'),
	updated_at: Timestamp('When it was last changed'),
});
export type Customer = Static<typeof Customer>;

export const UpdateCustomer = Type.Object({
	name: Type.Optional(CustomerName),
	email: Type.Optional(CustomerEmail),
	phone: Type.Optional(CustomerPhone),
});
export type UpdateCustomer = Static<typeof UpdateCustomer>;

export const Booking = Type.Object({
	id: Id('Booking'),
	service_id: Id('Service'),
	date: PlainDate('Date of the booking'),
	time_slot_id: Id('Time slot'),
	starts_at: Moment('Start, as it was promised when the booking took its place'),
	ends_at: Moment('End, likewise'),
	timezone: Type.String({ description: "The service's, likewise", examples: ['Europe/Berlin'] }),
	status: BookingStatus,
	cancel_reason: Type.Optional(CancelReason),
	expires_at: Nullable(Timestamp('When it is cancelled unless it is confirmed, or was because it was not'), {
		description: 'When its hold ends, or ended where it expired; null where it has none',
	}),
	message: Message,
	metadata: Metadata,
	customer: Customer,
	customer_id: Id('Customer'),
	time_slot: Type.Object(TimeSlot.properties, { description: 'As it was when the booking took its place' }),
	user_id: Type.String({ description: 'The account' }),
	version: Version,
	created_at: Timestamp('When it was made'),
	updated_at: Timestamp('When it was last changed'),
});
export type Booking = Static<typeof Booking>;

export const CreateBooking = Type.Object({
	date: PlainDate("A date that falls on the slot's day of the week"),
	time_slot_id: Id('Time slot'),
	service_id: Type.Optional(Nullable(Id("Where given, it must be the slot's service"))),
	customer_name: Type.Optional(CustomerName),
	customer_email: Type.Optional(CustomerEmail),
	customer_phone: Type.Optional(CustomerPhone),
	message: Type.Optional(Message),
	metadata: Type.Optional(Metadata),
	hold_minutes: Type.Optional(HoldMinutes),
});
export type CreateBooking = Static<typeof CreateBooking>;

export const UpdateBooking = Type.Object({
	date: Type.Optional(PlainDate('Moves the booking')),
	time_slot_id: Type.Optional(
		Id('Moves the booking to this slot of the account, with `date` or on its own; `service_id` follows'),
	),
	status: Type.Optional(BookingStatus),
	cancel_reason: Type.Optional(Nullable(CancelReason, { description: 'Required when the status becomes `cancelled`' })),
	message: Type.Optional(Message),
	metadata: Type.Optional(MetadataChange),
	hold_minutes: Type.Optional(HoldMinutes),
	version: Type.Optional(ExpectedVersion),
});
export type UpdateBooking = Static<typeof UpdateBooking>;

export const BookingList = Type.Object({ bookings: Type.Array(Booking), pagination: Pagination });
export type BookingList = Static<typeof BookingList>;

/** Filters of the list, all optional and combinable. */
export const BookingFilters = Type.Object({
	status: Type.Optional(BookingStatus),
	date: Type.Optional(PlainDate('On this date')),
	date_from: Type.Optional(PlainDate('On this date or later')),
	date_to: Type.Optional(PlainDate('On this date or earlier')),
	time_slot_id: Type.Optional(Id('Of this time slot')),
	customer_email: Type.Optional(Email("The customer's address, case-insensitive")),
	customer_phone: Type.Optional(Phone("The customer's phone number")),
	updated_since: Type.Optional(Timestamp('Made or changed at this moment or later')),
});
export type BookingFilters = Static<typeof BookingFilters>;

export const BookingSort = Type.Union(
	[
		Type.Literal('id'),
		Type.Literal('-id'),
		Type.Literal('starts_at'),
		Type.Literal('-starts_at'),
		Type.Literal('updated_at'),
		Type.Literal('-updated_at'),
	],
	{ description: 'With `-`, the last ones come first; those with the same value by id, in the same direction' },
);
export type BookingSort = Static<typeof BookingSort>;
