import type { IfMatch, Scoped, VersionedCustomer } from '../../shared/contract/actions.ts';
import type { Customer, UpdateCustomer } from '../../shared/contract/schemas/booking.ts';
import { timestamp } from '../../shared/engine/clock.ts';
import type { Deadline } from '../../shared/work/deadline.ts';
import type { BookingEngine } from './booking-engine.ts';
import { normalisedEmail } from './document/keys.ts';

type Request = Scoped & { booking_id: number; body: UpdateCustomer; if_match?: IfMatch };

/**
 * Changes a booking's customer. It is a change of the booking, whose version it raises.
 * @throws duplicate_booking where the new address has a booking for the same slot and date
 */
export async function updateCustomer(
	{ changes }: BookingEngine,
	{ body, ...key }: Request,
	deadline: Deadline,
): Promise<VersionedCustomer> {
	const { booking } = await changes.change(key, deadline, ({ booking: { customer } }, now) => {
		const changed: Customer = {
			...customer,
			name: body.name === undefined ? customer.name : body.name,
			email: body.email === undefined ? customer.email : body.email,
			phone: body.phone === undefined ? customer.phone : body.phone,
		};
		const same = (['name', 'email', 'phone'] as const).every((field) => changed[field] === customer[field]);
		if (same) return null;
		changed.updated_at = timestamp(now);
		const email_key = changed.email === null ? '' : normalisedEmail(changed.email);
		return { set: { customer: changed, email_key }, event: 'booking.updated' };
	});
	return { customer: booking.customer, version: booking.version };
}
