import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import type { BookingEvent } from '../../../shared/contract/schemas/event.ts';
import { type History, type Operation, ofKind } from '../history.ts';
import { type Observation, observationsOf } from './observations.ts';

/** One version of a booking: what is known of it, who may have made it, and when. */
export interface Version {
	number: number;
	/** The first event of the feed that tells of it */
	event: BookingEvent | undefined;
	/** From the event, or from an answer; undefined where neither shows it */
	state: Booking | undefined;
	/** The booking's end */
	deleted: boolean;
	seen: Observation[];
	/** Operations that would have made it, as far as their requests say */
	makers: Operation[];
	/** It was made at a moment from `from` to `to`, both included. */
	from: number;
	to: number;
}

/** A booking from its creation to its end, or to the final state. */
export interface Chronicle {
	id: number;
	/** Index 0 is version 1 */
	versions: Version[];
	/** As the final state shows it; undefined where it does not */
	listed: Booking | undefined;
	/** Acknowledged deletions */
	deletions: Operation[];
}

/** Brings together, booking by booking, what events, answers and the final state tell. */
export function chroniclesOf(history: History): Map<number, Chronicle> {
	const chronicles = new Map<number, Chronicle>();
	const open = (data: Booking) => {
		const known = chronicles.get(data.id);
		if (known) return known;
		const { id } = data;
		const fresh: Chronicle = { id, versions: [], listed: undefined, deletions: [] };
		chronicles.set(id, fresh);
		return fresh;
	};
	for (const event of history.final.events) addEvent(open(event.data), event);
	const observations = observationsOf(history);
	for (const { data } of observations) if (data) open(data);
	for (const seen of observations) addObservation(chronicles.get(seen.booking), seen);
	for (const booking of history.final.bookings) open(booking).listed = booking;
	for (const deletion of ofKind(history.operations, 'delete')) {
		const chronicle = chronicles.get(deletion.asked.booking_id);
		if (deletion.outcome === 'ok' && chronicle) addDeletion(chronicle, deletion);
	}
	return chronicles;
}

/** The services that a booking was in: it can be moved to another one. */
export function servicesOf({ versions, listed }: Chronicle): number[] {
	const states = [...versions.map(({ state }) => state), listed];
	return [...new Set(states.flatMap((state) => (state === undefined ? [] : [state.service_id])))];
}

/** Version `number` of a chronicle, with those before it. */
function versionOf(chronicle: Chronicle, number: number): Version {
	const { versions } = chronicle;
	while (versions.length < number) {
		versions.push({
			number: versions.length + 1,
			event: undefined,
			state: undefined,
			deleted: false,
			seen: [],
			makers: [],
			from: Number.NEGATIVE_INFINITY,
			to: Number.POSITIVE_INFINITY,
		});
	}
	return versions[number - 1]!;
}

function addEvent(chronicle: Chronicle, event: BookingEvent): void {
	const version = versionOf(chronicle, event.data.version);
	version.event ??= event; // of two that tell of one version, the rule of events complains
	version.state ??= event.data;
	version.deleted ||= event.type === 'booking.deleted';
}

function addObservation(chronicle: Chronicle | undefined, seen: Observation): void {
	if (!chronicle) return; // only its customer was ever seen, so somebody's answer is unknown and its event missing
	const version = versionOf(chronicle, seen.version);
	version.seen.push(seen);
	version.state ??= seen.data;
}

/** Where no event tells of it, the deletion is a version all the same; then its event is missing. */
function addDeletion(chronicle: Chronicle, deletion: Operation): void {
	chronicle.deletions.push(deletion);
	const last = chronicle.versions.at(-1)!;
	const version = last.deleted ? last : versionOf(chronicle, last.number + 1);
	version.deleted = true;
}
