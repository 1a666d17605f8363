import type { History, Operation } from '../workload/history.ts';
import type { Tenant } from '../workload/tenant.ts';

/** A booking as the API shows it. */
export interface Booking {
	id: number;
	service_id: number;
	time_slot_id: number;
	user_id: string;
	date: string;
	status: 'pending' | 'confirmed' | 'cancelled';
	message: string | null;
	version: number;
	customer: { email: string | null; name: string | null };
}

export interface Event {
	id: string;
	type: string;
	sequence: number;
	data: Booking;
}

/** What an account's own key shows at the end, when all is at rest. */
export interface AtRest {
	bookings: Booking[];
	events: Event[];
}

export interface Evidence {
	history: History;
	tenants: readonly Tenant[];
	/** By number of the account */
	atRest: readonly AtRest[];
	/** When a gateway, or the way to it, could answer nobody, in ms of the world */
	outages: readonly { from: number; to: number }[];
}

/** Something that the contract does not allow. */
export interface Finding {
	rule: string;
	what: string;
	/** The operations that show it */
	operations: Operation[];
}

export type Oracle = (evidence: Evidence) => Finding[];
