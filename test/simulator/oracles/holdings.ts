import { deletionsOf, type Operation, outcome } from '../workload/history.ts';
import { firstReached } from './clocks.ts';
import type { Booking, Event, Evidence } from './evidence.ts';

/** A state of a booking, from one event to the next. Its moments are known only from the requests around it. */
export interface State {
	booking: Booking;
	/** Nobody holds anything after a deletion */
	deleted: boolean;
	/** Its hold ended: no request made it */
	isExpired: boolean;
	/** It began at some moment from `earliest` to `latest`, in ms of the world */
	earliest: number;
	latest: number;
	/** It ended at some moment from `endEarliest` to `endLatest`; infinite where it did not */
	endEarliest: number;
	endLatest: number;
	/** The requests that made it */
	operations: Operation[];
}

/** The states of each booking, in their order. An account's bookings are its own events' only. */
export function statesOf({ history, atRest, clocks }: Evidence): Map<number, State[]> {
	const byMark = Map.groupBy(
		history.operations.filter(({ mark }) => mark !== undefined),
		({ mark }) => mark!,
	);
	const asked = deletionsOf(history);
	const deletions = ({ id, service_id }: Booking) =>
		[...(asked.get(`/v1/bookings/${id}`) ?? []), ...(asked.get(`/v1/services/${service_id}`) ?? [])].filter(
			(each) => outcome(each) !== 'refused',
		);
	const states = new Map<number, State[]>();
	for (const { events } of atRest) {
		for (const [id, ofBooking] of Map.groupBy(events, ({ data }) => data.id)) {
			ofBooking.sort((one, other) => one.data.version - other.data.version);
			states.set(
				id,
				ofBooking.map((event, index) => {
					const before = ofBooking[index - 1];
					return isExpiry(event, before?.data) ? expiryOf(event, clocks) : stateOf(event, before, byMark, deletions);
				}),
			);
		}
	}
	for (const ofBooking of states.values()) bound(ofBooking);
	return states;
}

/** Clients give another reason, and each of their changes has a message of its own. */
export function isExpiry({ type, data }: Event, before: Booking | undefined): boolean {
	return type === 'booking.cancelled' && data.cancel_reason === 'expired' && data.message === before?.message;
}

/** It began when the clock of a booking process said so, or any time later. */
function expiryOf({ data }: Event, clocks: Evidence['clocks']): State {
	return {
		booking: data,
		deleted: false,
		isExpired: true,
		operations: [],
		earliest: firstReached(clocks, Date.parse(data.expires_at ?? '')),
		latest: Number.POSITIVE_INFINITY,
		endEarliest: Number.POSITIVE_INFINITY,
		endLatest: Number.POSITIVE_INFINITY,
	};
}

function stateOf(
	{ type, data }: Event,
	before: Event | undefined,
	byMark: Map<string, Operation[]>,
	deletions: (booking: Booking) => Operation[],
): State {
	const deleted = type === 'booking.deleted';
	const mark = data.message !== before?.data.message ? data.message : data.customer.name;
	const operations = deleted ? deletions(data) : (byMark.get(mark ?? '') ?? []);
	const acknowledged = operations.filter((each) => outcome(each) === 'done').map(({ ended }) => ended!);
	const earliest = Math.min(...operations.map(({ began }) => began), Number.POSITIVE_INFINITY);
	return {
		booking: data,
		deleted,
		isExpired: false,
		operations,
		earliest: Number.isFinite(earliest) ? earliest : 0,
		// A repeated deletion is answered when the first one has long been made.
		latest: acknowledged.length > 0 ? Math.min(...acknowledged) : Number.POSITIVE_INFINITY,
		endEarliest: Number.POSITIVE_INFINITY,
		endLatest: Number.POSITIVE_INFINITY,
	};
}

/** Each begins after the one before it, and before the one after it. */
function bound(states: State[]): void {
	for (const [index, state] of states.entries()) {
		state.earliest = Math.max(state.earliest, states[index - 1]?.earliest ?? 0);
	}
	for (const [index, state] of [...states.entries()].reverse()) {
		const next = states[index + 1];
		if (next === undefined) continue;
		state.latest = Math.min(state.latest, next.latest);
		state.endEarliest = next.earliest;
		state.endLatest = next.latest;
	}
}

export function holds(state: State, slot: number, date: string): boolean {
	const { booking, deleted } = state;
	return !deleted && booking.status !== 'cancelled' && booking.time_slot_id === slot && booking.date === date;
}

/** One holding of a place, over all states that are on it one after the other. */
export interface Holding {
	id: number;
	slot: number;
	date: string;
	email: string | null;
	/** For sure, in ms of the world; empty where `from` is after `to` */
	sure: { from: number; to: number };
	/** At most */
	possible: { from: number; to: number };
	/** The same state by state, with the end of its hold, in ms since the epoch; infinite where it is not held */
	parts: { from: number; to: number; heldUntil: number }[];
	operations: Operation[];
}

function partOf({ booking: { status, expires_at }, earliest, endLatest }: State): Holding['parts'][number] {
	const isHeld = status === 'pending' && expires_at !== null;
	return { from: earliest, to: endLatest, heldUntil: isHeld ? Date.parse(expires_at) : Number.POSITIVE_INFINITY };
}

/** @param byEmail a holding ends where the address changes, too */
export function holdingsOf(states: Map<number, State[]>, byEmail: boolean): Holding[] {
	const holdings: Holding[] = [];
	for (const [id, ofBooking] of states) {
		let open: Holding | undefined;
		for (const state of ofBooking) {
			const { booking } = state;
			const email = booking.customer.email?.toLowerCase() ?? null;
			const goesOn = open && holds(state, open.slot, open.date) && (!byEmail || open.email === email);
			if (!goesOn) {
				open = undefined;
				if (!holds(state, booking.time_slot_id, booking.date)) continue;
				open = {
					id,
					slot: booking.time_slot_id,
					date: booking.date,
					email,
					sure: { from: state.latest, to: state.endEarliest },
					possible: { from: state.earliest, to: state.endLatest },
					parts: [partOf(state)],
					operations: [...state.operations],
				};
				holdings.push(open);
				continue;
			}
			open!.sure.to = state.endEarliest;
			open!.possible.to = state.endLatest;
			open!.parts.push(partOf(state));
		}
	}
	return holdings;
}
