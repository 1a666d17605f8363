import type { Booking } from '../api/shapes.ts';

/** What a customer is called where there is room for one word only */
export function nameOf({ customer: { name, email, phone } }: Pick<Booking, 'customer'>): string {
	return name ?? email ?? phone ?? 'Somebody without a name';
}
