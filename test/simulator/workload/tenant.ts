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
	/** Bookings of its plan a month; infinite where there is no limit */
	bookingsLimit: number;
	servicesLimit: number;
	services: number[];
	/** Those of them whose slots all change together, and which are deleted after a while */
	changing: Set<number>;
	/** Those of the changing ones whose slots change by new schedules only */
	replaced: Set<number>;
	slots: Slot[];
	/** By slot: the lowest and the highest maximum that it was ever asked to have */
	maxima: Map<number, { service_id: number; least: number; most: number }>;
	overrides: { id: number; service_id: number }[];
	bookings: number[];
	webhooks: number[];
	/** What each of them was last told to get */
	subscribed: Map<number, string[]>;
	/** Of webhooks, with the webhook's id */
	deliveries: { id: number; webhook_id: number }[];
}

export function newTenant(given: Pick<Tenant, 'account' | 'key' | 'bookingsLimit' | 'servicesLimit'>): Tenant {
	return {
		...given,
		services: [],
		changing: new Set(),
		replaced: new Set(),
		slots: [],
		maxima: new Map(),
		overrides: [],
		bookings: [],
		webhooks: [],
		subscribed: new Map(),
		deliveries: [],
	};
}

export function noteMaximum({ maxima }: Tenant, { id, service_id }: Slot, max: number): void {
	const { least, most } = maxima.get(id) ?? { least: max, most: max };
	maxima.set(id, { service_id, least: Math.min(least, max), most: Math.max(most, max) });
}

/** A service is gone, or may be: nothing new is asked of it. */
export function forgetService(tenant: Tenant, service_id: number): void {
	tenant.services = tenant.services.filter((id) => id !== service_id);
	tenant.slots = tenant.slots.filter((slot) => slot.service_id !== service_id);
}

/** A booking is gone. */
export function forgetBooking(tenant: Tenant, path: string): void {
	tenant.bookings = tenant.bookings.filter((id) => path !== `/v1/bookings/${id}`);
}

/** The slots of a service are these, as a client was shown. */
export function noteSlots(tenant: Tenant, service_id: number, slots: Slot[]): void {
	for (const slot of slots) noteMaximum(tenant, slot, slot.max_bookings);
	if (!tenant.services.includes(service_id)) return;
	tenant.slots = [...tenant.slots.filter((slot) => slot.service_id !== service_id), ...slots];
}

/** The time zone of a service whose slots end at this minute: a new schedule changes both. */
export function zoneOf(minute: number): string {
	return ['Europe/Berlin', 'America/Lima', 'Asia/Tokyo'][minute % 3]!;
}

const FIRST_SUNDAY = 1; // of March 2026

/** The date in week `week` that falls on a slot's weekday. */
export function dateOf(slot: Slot, week: number): string {
	const day = FIRST_SUNDAY + slot.day_of_week + 7 * week;
	return `2026-03-${String(day).padStart(2, '0')}`;
}
