import type { NewEvent } from '../../shared/contract/actions.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { BookingEventType } from '../../shared/contract/schemas/event.ts';

/** The event of a booking's version, with the booking as the API would show it. */
export function newEvent(
	account_id: string,
	booking: number,
	version = 1,
	type: BookingEventType = version === 1 ? 'booking.created' : 'booking.updated',
	message: string | null = null,
): NewEvent {
	const at = '2026-11-21T09:30:00.000Z';
	const data: Booking = {
		id: booking,
		service_id: 3,
		date: '2026-11-23',
		time_slot_id: 7,
		starts_at: '2026-11-23T09:00:00+01:00',
		ends_at: '2026-11-23T10:00:00+01:00',
		timezone: 'Europe/Berlin',
		status: 'pending',
		expires_at: null,
		message,
		metadata: {},
		customer: {
			id: booking,
			name: 'Ada Lovelace',
			email: `ada${booking}@example.com`,
			phone: '+15550100',
			created_at: at,
			updated_at: at,
		},
		customer_id: booking,
		time_slot: {
			id: 7,
			service_id: 3,
			day_of_week: 1,
			start_time: '2026-01-05 09:00:00',
			end_time: '2026-01-05 10:00:00',
			max_bookings: 4,
			valid_from: null,
			valid_until: null,
			created_at: at,
			updated_at: at,
		},
		user_id: account_id,
		version,
		created_at: at,
		updated_at: at,
	};
	return { id: `evt_${booking}_${version}`, account_id, type, timestamp: at, data, previous: {} };
}

/** `count` bookings' first events, of bookings `first` and on. */
export function newEvents(account_id: string, first: number, count: number): NewEvent[] {
	return Array.from({ length: count }, (_, index) => newEvent(account_id, first + index));
}
