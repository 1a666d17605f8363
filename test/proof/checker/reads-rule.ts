import type { AvailabilityEntry } from '../../../shared/contract/schemas/availability.ts';
import type { BookingList } from '../../../shared/contract/schemas/booking.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { type History, isKind, type Operation, ofKind } from '../history.ts';
import { type Chronicle, servicesOf } from './chronicle.ts';
import { certain, type Holding } from './holdings.ts';
import type { Grounds } from './refusals-rule.ts';
import { StepFunction } from './step-function.ts';
import type { Findings } from './violation.ts';

/** Of a move to a slot that is gone; the booking may well be there */
const NO_SLOT = 'time slot not found';

/**
 * Reads show what is there.
 * - `booking not found` only where it may be that the booking, or its service, was not there or was gone.
 * - Whoever asks after that answer is not shown the booking any more: what is gone stays gone.
 * - A list that is one whole page leaves out no booking that was there all the time.
 * - Availability shows a count and a maximum that each may have held at some moment of the request, and `remaining` and
 *   `bookable` follow from them; a slot's list shows such a maximum.
 */
export function checkReads(history: History, holdings: Holding[], grounds: Grounds, findings: Findings): void {
	const closing = new Map<number, number>();
	for (const { asked, from, outcome } of ofKind(history.operations, 'delete service')) {
		if (outcome === 'fail') continue;
		closing.set(asked.service_id, Math.min(from, closing.get(asked.service_id) ?? from));
	}
	checkMissing(history.operations, grounds.chronicles, closing, findings);
	checkReturns(history.operations, grounds.chronicles, findings);
	checkLists(history.operations, grounds.chronicles, closing, findings);
	const certainly = certainCounts(holdings);
	for (const operation of history.operations) {
		if (operation.outcome !== 'ok') continue;
		if (isKind(operation, 'availability')) checkAvailability(operation, certainly, grounds, findings);
		if (isKind(operation, 'list slots')) checkSlots(operation, grounds, findings);
	}
}

/** When a booking may have been gone: from here on a reader may miss it. */
function mayBeGone(chronicle: Chronicle, closing: Map<number, number>): number {
	const last = chronicle.versions.at(-1)!;
	const deleted = last.deleted ? last.from : Number.POSITIVE_INFINITY;
	const closed = servicesOf(chronicle).map((id) => closing.get(id) ?? Number.POSITIVE_INFINITY);
	return Math.min(deleted, ...closed);
}

/** Whether it was a service's for all of the time, whatever moved it before or after. */
function isOf(service_id: number, { versions }: Chronicle, from: number, to: number): boolean {
	return versions.every((version, index) => {
		const replaced = versions[index + 1]?.to ?? Number.POSITIVE_INFINITY;
		return version.from > to || replaced < from || version.state?.service_id === service_id;
	});
}

function checkMissing(
	operations: Operation[],
	chronicles: Map<number, Chronicle>,
	closing: Map<number, number>,
	findings: Findings,
): void {
	for (const { op, id, from, to } of notFound(operations)) {
		const chronicle = chronicles.get(id);
		if (!chronicle || chronicle.versions[0]!.to >= from || mayBeGone(chronicle, closing) <= to) continue;
		findings.add(`operation ${op} did not find booking ${id}, which was there`);
	}
}

/** Who was told that there is no such booking. */
function notFound(operations: Operation[]) {
	return operations.flatMap(({ op, asked, answered, from, to }) => {
		if (answered?.status !== 404 || !('booking_id' in asked) || answered.error === NO_SLOT) return [];
		return [{ op, id: asked.booking_id, from, to }];
	});
}

function checkReturns(operations: Operation[], chronicles: Map<number, Chronicle>, findings: Findings): void {
	for (const [id, told] of Map.groupBy(notFound(operations), (each) => each.id)) {
		const { versions } = chronicles.get(id) ?? { versions: [] };
		const there = versions[0]?.to ?? Number.POSITIVE_INFINITY;
		const [first] = told.filter(({ from }) => from > there).sort((one, other) => one.to - other.to);
		if (first === undefined) continue;
		const later = versions.flatMap(({ seen }) => seen).find(({ old, from }) => !old && from > first.to);
		if (later === undefined) continue;
		const where = later.operation === undefined ? 'the final state' : `operation ${later.operation.op}`;
		findings.add(`operation ${first.op} did not find booking ${id}, which ${where} shows later`);
	}
}

function checkLists(
	operations: Operation[],
	chronicles: Map<number, Chronicle>,
	closing: Map<number, number>,
	findings: Findings,
): void {
	for (const { op, asked, outcome, answered, from, to } of ofKind(operations, 'list')) {
		if (outcome !== 'ok') continue;
		const { bookings } = answered!.data as BookingList;
		if (bookings.length >= asked.page_size) continue;
		const shown = new Set(bookings.map(({ id }) => id));
		for (const chronicle of chronicles.values()) {
			const isThere = chronicle.versions[0]!.to < from && mayBeGone(chronicle, closing) > to;
			const there = isThere && isOf(asked.service_id, chronicle, from, to);
			if (there && !shown.has(chronicle.id)) findings.add(`operation ${op} left out booking ${chronicle.id}`);
		}
	}
}

function certainCounts(holdings: Holding[]): Map<string, StepFunction> {
	const changes = (holding: Holding) => {
		const { since, until } = certain(holding);
		if (until <= since) return [];
		return [
			{ time: since, by: 1 },
			{ time: until, by: -1 },
		];
	};
	const byPlace = Map.groupBy(holdings, ({ place }) => place);
	return new Map([...byPlace].map(([place, all]) => [place, new StepFunction(all.flatMap(changes))]));
}

function checkAvailability(
	{ op, from, to, answered }: Operation,
	certainly: Map<string, StepFunction>,
	{ maxima, occupied }: Grounds,
	findings: Findings,
): void {
	for (const entry of (answered!.data as { availability: AvailabilityEntry[] }).availability) {
		const place = `${entry.time_slot_id}:${entry.date}`;
		const least = certainly.get(place)?.lowest(from, to) ?? 0;
		const most = occupied.get(place)?.highest(from, to) ?? 0;
		if (entry.booked < least || entry.booked > most) {
			findings.add(`operation ${op} was told of ${entry.booked} bookings of ${place}, not ${least} to ${most}`);
		}
		const of = maxima.get(entry.time_slot_id);
		const [low, high] = [of?.lowest(from, to) ?? 0, of?.highest(from, to) ?? Number.POSITIVE_INFINITY];
		if (entry.max_bookings < low || entry.max_bookings > high) {
			findings.add(`operation ${op} was told of a maximum of ${entry.max_bookings} of ${place}, not ${low} to ${high}`);
		}
		const remaining = Math.max(0, entry.max_bookings - entry.booked);
		if (entry.remaining !== remaining || entry.bookable !== remaining > 0) {
			findings.add(`operation ${op} was told that ${entry.remaining} places of ${place} remain, not ${remaining}`);
		}
	}
}

function checkSlots({ op, from, to, answered }: Operation, { maxima }: Grounds, findings: Findings): void {
	for (const { id, max_bookings } of answered!.data as TimeSlot[]) {
		const of = maxima.get(id)!;
		if (max_bookings >= of.lowest(from, to) && max_bookings <= of.highest(from, to)) continue;
		findings.add(`operation ${op} was shown a maximum of ${max_bookings} of slot ${id}, which it did not have`);
	}
}
