import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { type Chronicle, chroniclesOf, type Version } from './checker/chronicle.ts';
import { findMakers } from './checker/makers.ts';
import { Findings } from './checker/violation.ts';
import { type History, isKind, type Operation, ofKind } from './history.ts';

/** One operation on one object, as `test/judge/` reads it. */
interface Judged {
	object: string;
	/** Places of an occurrence; 0 for a booking */
	capacity: number;
	client: number;
	op: 'take' | 'leave' | 'full' | 'write' | 'read' | 'delete' | 'missing';
	booking: number;
	version: number;
	value: string;
	/** µs; no return: it happened, and nobody was told when */
	call: number;
	return: number | null;
}

/**
 * What clients of real processes were told, as operations on objects, for a checker that others wrote: each occurrence,
 * whose bookings take its places and leave them, and each booking, a register with a version. A change is asked for and
 * answered when its client says so; of one without an answer, only the feed says that it happened. Occurrences whose
 * maximum changes are left out.
 */
export function judgedHistory(history: History): string {
	const chronicles = chroniclesOf(history);
	findMakers(history, chronicles, new Findings('events', [])); // what nobody asked for is the proof's own to find
	const all = [...chronicles.values()];
	const lines = [...places(history, all), ...registers(history, all)];
	return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function places(history: History, chronicles: Chronicle[]): Judged[] {
	const maxima = steadyMaxima(history);
	const lines: Judged[] = [];
	const add = (place: Place, line: Pick<Judged, 'op' | 'booking' | 'call' | 'return'>) => {
		const capacity = maxima.get(place.time_slot_id);
		if (capacity === undefined) return;
		const object = `occurrence ${history.account}/${place.time_slot_id} on ${place.date}`;
		lines.push({ object, capacity, client: 0, version: 0, value: '', ...line });
	};
	for (const { id: booking, versions } of chronicles) {
		let held: Place | undefined;
		for (const version of versions) {
			if (version.state === undefined && !version.deleted) continue;
			const holds = version.deleted ? undefined : placeOf(version.state!);
			if (held?.time_slot_id === holds?.time_slot_id && held?.date === holds?.date) continue;
			if (held) add(held, { op: 'leave', booking, ...moments(version) });
			if (holds) add(holds, { op: 'take', booking, ...moments(version) });
			held = holds;
		}
	}
	for (const operation of ofKind(history.operations, 'create')) {
		if (operation.answered?.error === 'time slot is full') {
			add(operation.asked.body, { op: 'full', booking: 0, ...asked(operation) });
		}
	}
	return lines;
}

type Place = Pick<Booking, 'time_slot_id' | 'date'>;

function placeOf({ status, time_slot_id, date }: Booking): Place | undefined {
	return status === 'cancelled' ? undefined : { time_slot_id, date };
}

/** Of the slots that nobody wanted to have another maximum than the first */
function steadyMaxima({ operations }: History): Map<number, number> {
	const listed = ofKind(operations, 'list slots').filter(({ outcome }) => outcome === 'ok');
	const slots = listed.flatMap(({ answered }) => answered!.data as { id: number; max_bookings: number }[]);
	const changed = ofKind(operations, 'update slots').flatMap(({ asked: { body } }) => body.time_slots);
	const isSteady = ({ id, max_bookings }: { id: number; max_bookings: number }) =>
		![...changed, ...slots].some((other) => other.id === id && other.max_bookings !== max_bookings);
	return new Map(slots.filter(isSteady).map(({ id, max_bookings }) => [id, max_bookings]));
}

function registers({ account, operations }: History, chronicles: Chronicle[]): Judged[] {
	const lines: Judged[] = [];
	const known = new Set(chronicles.map(({ id }) => id));
	const add = (booking: number, line: Pick<Judged, 'op' | 'call' | 'return'> & Partial<Judged>) => {
		const object = `booking ${account}/${booking}`;
		lines.push({ object, capacity: 0, client: 0, booking, version: 0, value: '', ...line });
	};
	for (const { id, versions } of chronicles) {
		for (const version of versions) {
			if (version.deleted) add(id, { op: 'delete', ...moments(version) });
			else if (version.state) add(id, { op: 'write', ...content(version.state), ...moments(version) });
		}
	}
	for (const operation of operations) {
		const { outcome, answered } = operation;
		if (isKind(operation, 'get') && outcome === 'ok') {
			add(operation.asked.booking_id, { op: 'read', ...content(answered!.data as Booking), ...asked(operation) });
		} else if (isKind(operation, 'list') && outcome === 'ok') {
			for (const row of (answered!.data as { bookings: Booking[] }).bookings) {
				add(row.id, { op: 'read', ...content(row), ...asked(operation) });
			}
		} else if (isKind(operation, 'get') || isKind(operation, 'update') || isKind(operation, 'update customer')) {
			const id = operation.asked.booking_id;
			if (answered?.error === 'booking not found' && known.has(id)) add(id, { op: 'missing', ...asked(operation) });
		}
	}
	return lines;
}

function content({
	version,
	status,
	date,
	time_slot_id,
	message,
	customer,
}: Booking): Pick<Judged, 'version' | 'value'> {
	const { name, email, phone } = customer;
	return { version, value: JSON.stringify([status, date, time_slot_id, message, name, email, phone]) };
}

/** From the first request that may have made it, to the first answer that says so. */
function moments({ makers }: Version): Pick<Judged, 'call' | 'return'> {
	const answers = makers.filter(({ outcome }) => outcome === 'ok').map(({ to }) => to);
	const call = makers.length === 0 ? 0 : Math.min(...makers.map(({ from }) => from));
	return { call: micros(call), return: answers.length === 0 ? null : micros(Math.min(...answers)) };
}

function asked({ from, to }: Operation): Pick<Judged, 'call' | 'return'> {
	return { call: micros(from), return: micros(to) };
}

function micros(ms: number): number {
	return Math.round(ms * 1000);
}
