import type { History, Operation } from '../workload/history.ts';
import type { Tenant } from '../workload/tenant.ts';
import type { Clocks } from './clocks.ts';

/** A booking as the API shows it. */
export interface Booking {
	id: number;
	service_id: number;
	time_slot_id: number;
	user_id: string;
	date: string;
	status: 'pending' | 'confirmed' | 'cancelled';
	cancel_reason?: string;
	expires_at: string | null;
	message: string | null;
	version: number;
	customer: { email: string | null; name: string | null };
}

export interface Event {
	id: string;
	type: string;
	sequence: number;
	timestamp: string;
	data: Booking;
}

export interface Availability {
	date: string;
	time_slot_id: number;
	max_bookings: number;
	booked: number;
	bookable: boolean;
}

export interface Delivery {
	id: number;
	webhook_id: number;
	event_id: string;
	event_type: string;
}

export interface Webhook {
	id: number;
	url: string;
	events: string[];
	enabled: boolean;
	version: number;
}

export interface Usage {
	bookings: { used: number };
	services: { used: number };
}

/** What an account's own key shows at the end, when all is at rest. */
export interface AtRest {
	/** Ids */
	services: number[];
	bookings: Booking[];
	events: Event[];
	usage: Usage | undefined;
	webhooks: (Webhook & { deliveries: Delivery[] })[];
	availability: Availability[];
	/** Creations after all was read, one for an occurrence */
	trials: { row: Availability; operation: Operation }[];
}

export function nothing(): AtRest {
	return { services: [], bookings: [], events: [], usage: undefined, webhooks: [], availability: [], trials: [] };
}

export interface Evidence {
	history: History;
	tenants: readonly Tenant[];
	/** By number of the account */
	atRest: readonly AtRest[];
	/** When a gateway, or the way to it, could answer nobody, in ms of the world */
	outages: readonly { from: number; to: number }[];
	/** When a process was killed or told to stop, in ms of the world */
	ends: readonly { at: number; services: string }[];
	/** Of the booking processes, in order */
	clocks: readonly Clocks[];
	/** When all was read, in ms of the world */
	ended: number;
	/** When a booking's message left for the store for the last time, to be written, in ms of the world */
	written: ReadonlyMap<string, number>;
	/** When each event came into the log, by its id, in ms of the world */
	logged: ReadonlyMap<string, number>;
	/** ms by which the clocks of two processes differed at most */
	clocksApart: number;
	/** Of a collection of the store, at the end: for what no key may show */
	documents(collection: string): Record<string, unknown>[];
}

/** Something that the contract does not allow. */
export interface Finding {
	rule: string;
	what: string;
	/** The operations that show it */
	operations: Operation[];
}

export type Oracle = (evidence: Evidence) => Finding[];
