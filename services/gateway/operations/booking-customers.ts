import type { VersionedCustomer } from '../../../shared/contract/actions.ts';
import { Customer, UpdateCustomer } from '../../../shared/contract/schemas/booking.ts';
import { Id, Type } from '../../../shared/contract/schemas/schema.ts';
import { bookingExample } from './examples.ts';
import { type Operation, type Outcome, operation } from './operation.ts';

const path = Type.Object({ bookingID: Id('Booking') });

const single = ({ customer, version }: VersionedCustomer): Outcome => ({ data: customer, version });

/** In the order of the reference. */
export const bookingCustomersOperations: readonly Operation[] = [
	operation({
		id: 'getBookingCustomer',
		method: 'GET',
		path: '/v1/bookings/{bookingID}/customer',
		action: 'booking.getCustomer',
		scope: 'read',
		tag: 'Customers',
		summary: 'Get the customer of a booking',
		description: "Its `ETag` is the booking's version.",
		parameters: { path },
		answer: { status: 200, schema: Customer, description: 'The customer', example: bookingExample.customer },
		errors: ['booking_not_found'],
		headers: { etag: true, ifNoneMatch: true },
		async run({ path: { bookingID }, call }) {
			return single(await call('booking.getCustomer', { booking_id: bookingID }));
		},
	}),
	operation({
		id: 'updateBookingCustomer',
		method: 'PATCH',
		path: '/v1/bookings/{bookingID}/customer',
		action: 'booking.updateCustomer',
		scope: 'write',
		tag: 'Customers',
		summary: 'Update the customer of a booking',
		description: "Changes the fields that are sent; `null` clears one. It raises the booking's version.",
		parameters: { path },
		body: { schema: UpdateCustomer, resource: Customer, example: { phone: '+15550199' } },
		answer: {
			status: 200,
			schema: Customer,
			description: 'The customer as it is now',
			example: { ...bookingExample.customer, phone: '+15550199' },
		},
		errors: ['duplicate_booking', 'booking_not_found', 'version_mismatch'],
		headers: { etag: true, ifMatch: true },
		async run({ path: { bookingID }, body, ifMatch, call }) {
			return single(await call('booking.updateCustomer', { booking_id: bookingID, body, if_match: ifMatch }));
		},
	}),
];
