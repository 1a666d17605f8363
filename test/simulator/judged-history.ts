import type { Booking, Evidence } from './oracles/evidence.ts';
import { holds, type State, statesOf } from './oracles/holdings.ts';
import { dataOf, errorOf, type Operation } from './workload/history.ts';

/** One operation on one object, as `test/judge/` reads it. */
interface Line {
	object: string;
	/** Places of an occurrence; 0 for a booking */
	capacity: number;
	client: number;
	op: 'take' | 'leave' | 'full' | 'write' | 'read' | 'delete' | 'missing' | 'stale';
	booking: number;
	version: number;
	value: string;
	/** µs; no return: it happened, and nobody was told when */
	call: number;
	return: number | null;
}

/**
 * The history as operations on objects, for a checker that others wrote: each occurrence, whose bookings take its places
 * and leave them, and each booking, a register with a version. What came of a request without an answer is told by the
 * events. Occurrences whose maximum changes are left out.
 */
export function judgedHistory(evidence: Evidence): string {
	const states = statesOf(evidence);
	const lines = [...places(evidence, states), ...registers(evidence, states)];
	return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function places({ history, tenants }: Evidence, states: Map<number, State[]>): Line[] {
	const maxima = new Map(tenants.flatMap(({ maxima: own }) => [...own]));
	const lines: Line[] = [];
	const add = (slot: number, date: string, line: Pick<Line, 'op' | 'booking' | 'call' | 'return'>) => {
		const { least, most } = maxima.get(slot) ?? { least: 0, most: 1 };
		if (least !== most) return;
		const object = `occurrence ${slot} on ${date}`;
		lines.push({ object, capacity: most, client: lines.length % 100, version: 0, value: '', ...line });
	};
	for (const [booking, ofBooking] of states) {
		for (const [index, state] of ofBooking.entries()) {
			const before = ofBooking[index - 1];
			const now = state.booking;
			const taken = holds(state, now.time_slot_id, now.date);
			const left =
				before && holds(before, before.booking.time_slot_id, before.booking.date) ? before.booking : undefined;
			const stays = left && holds(state, left.time_slot_id, left.date);
			if (left && !stays) add(left.time_slot_id, left.date, { op: 'leave', booking, ...moments(state) });
			if (taken && !stays) add(now.time_slot_id, now.date, { op: 'take', booking, ...moments(state) });
		}
	}
	for (const operation of history.operations) {
		const { body, path, foreign } = operation;
		if (foreign !== undefined || errorOf(operation) !== 'time slot is full' || body?.date === undefined) continue;
		const slot =
			(body.time_slot_id as number | undefined) ?? states.get(Number(path.split('/')[3]))?.[0]?.booking.time_slot_id;
		if (slot !== undefined) add(slot, body.date as string, { op: 'full', booking: 0, ...asked(operation) });
	}
	return lines;
}

function registers({ history }: Evidence, states: Map<number, State[]>): Line[] {
	const lines: Line[] = [];
	const add = (booking: number, line: Pick<Line, 'op' | 'call' | 'return'> & Partial<Line>) => {
		if (!states.has(booking)) return; // nothing is known of it
		lines.push({ object: `booking ${booking}`, capacity: 0, client: 0, booking, version: 0, value: '', ...line });
	};
	for (const [id, ofBooking] of states) {
		for (const state of ofBooking) {
			if (state.deleted) add(id, { op: 'delete', ...moments(state) });
			else add(id, { op: 'write', ...content(state.booking), ...moments(state) });
		}
	}
	for (const operation of history.operations) {
		const { method, path, answer, foreign, headers, body } = operation;
		if (foreign !== undefined || answer === undefined) continue;
		const id = Number(/^\/v1\/bookings\/(\d+)$/.exec(path)?.[1]);
		const when = asked(operation);
		if (method === 'GET' && path === '/v1/bookings') {
			for (const each of dataOf<{ bookings: Booking[] }>(operation)?.bookings ?? []) {
				add(each.id, { op: 'read', ...content(each), ...when });
			}
		} else if (Number.isNaN(id)) continue;
		else if (answer.status === 404) add(id, { op: 'missing', ...when });
		else if (answer.status === 200 && method === 'GET')
			add(id, { op: 'read', ...content(dataOf<Booking>(operation)!), ...when });
		else if (answer.status === 412)
			add(id, { op: 'stale', version: Number(headers!['if-match']!.replaceAll('"', '')), ...when });
		else if (answer.status === 409 && errorOf(operation) === 'version conflict') {
			add(id, { op: 'stale', version: Number(body!.version), ...when });
		}
	}
	return lines;
}

function content({ version, message, customer }: Booking): Pick<Line, 'version' | 'value'> {
	return { version, value: `${message} ${customer.name}` };
}

/** From the first request that may have made it, to the first answer that says so. */
function moments({ operations }: State): Pick<Line, 'call' | 'return'> {
	const done = operations
		.filter(({ answer }) => answer !== undefined && answer.status < 300)
		.map(({ ended }) => ended!);
	const call = operations.length === 0 ? 0 : Math.min(...operations.map(({ began }) => began));
	return { call: micros(call), return: done.length === 0 ? null : micros(Math.min(...done)) };
}

function asked({ began, ended }: Operation): Pick<Line, 'call' | 'return'> {
	return { call: micros(began), return: micros(ended!) };
}

function micros(ms: number): number {
	return Math.round(ms * 1000);
}
