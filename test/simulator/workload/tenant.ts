/** What an account made, as its clients were told: others try to reach it, too. */
export interface Slot {
	id: number;
	service_id: number;
	day_of_week: number;
	max_bookings: number;
}

export interface Tenant {
	account: number;
	key: string;
	services: number[];
	slots: Slot[];
	bookings: number[];
}

const FIRST_SUNDAY = 1; // of March 2026

/** The date in week `week` that falls on a slot's weekday. */
export function dateOf(slot: Slot, week: number): string {
	const day = FIRST_SUNDAY + slot.day_of_week + 7 * week;
	return `2026-03-${String(day).padStart(2, '0')}`;
}
