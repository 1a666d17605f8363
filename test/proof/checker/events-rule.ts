import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import type { BookingEvent, Previous } from '../../../shared/contract/schemas/event.ts';
import { type History, isKind, type Operation, ofKind } from '../history.ts';
import type { Chronicle, Version } from './chronicle.ts';
import { expectedPrevious, expectedType } from './explain.ts';
import type { Findings } from './violation.ts';

/**
 * Events match changes.
 * - `sequence` begins at 1 and has no gap; no event is there twice.
 * - One event a change: every version of every booking has one, whose id, type and data say so, in the order of the
 *   versions. (That there was a request for each change is the makers' rule.)
 * - `previous` has the fields that differ from the version before, as they were there.
 * - The data of `booking.created` is the 201 to the letter, that of `booking.deleted` the last state with the next
 *   version.
 * - What the feed showed once it shows for ever.
 * - Who asks from beyond its end is told so, and nobody else is.
 */
export function checkEvents(history: History, chronicles: Iterable<Chronicle>, findings: Findings): void {
	const { events } = history.final;
	checkSequence(events, findings);
	checkOrder(events, findings);
	for (const chronicle of chronicles) {
		for (const [index, version] of chronicle.versions.entries()) {
			checkVersion(chronicle, chronicle.versions[index - 1], version, findings);
		}
	}
	checkEarlierLooks(history, findings);
	checkEnds(history, findings);
}

function checkSequence(events: BookingEvent[], findings: Findings): void {
	const ids = new Set<string>();
	for (const [index, { id, sequence }] of events.entries()) {
		const before = events[index - 1]?.sequence ?? 0;
		if (sequence !== before + 1) findings.add(`sequence ${before} is followed by ${sequence}`);
		if (ids.has(id)) findings.add(`event ${id} is there twice`);
		ids.add(id);
	}
}

/** In the feed, each booking's events come in the order of its versions. */
function checkOrder(events: BookingEvent[], findings: Findings): void {
	const last = new Map<number, number>();
	for (const { id, data } of events) {
		const before = last.get(data.id) ?? 0;
		if (data.version < before) findings.add(`event ${id} comes after that of version ${before}`);
		last.set(data.id, Math.max(before, data.version));
	}
}

function checkVersion({ id }: Chronicle, before: Version | undefined, version: Version, findings: Findings): void {
	const { event, number, deleted, seen } = version;
	if (!event) {
		findings.add(`booking ${id}: no event of version ${number}`);
		return;
	}
	const { data } = event;
	if (event.id !== `evt_${id}_${number}`) findings.add(`event ${event.id} tells of version ${number} of booking ${id}`);
	if (before === undefined || before.state !== undefined) {
		const type = expectedType(before?.state, data, deleted);
		if (event.type !== type) findings.add(`event ${event.id} is ${event.type}, not ${type}`);
	}
	if (before?.state || version.number === 1) {
		const previous = before?.state && !deleted ? expectedPrevious(before.state, data) : {};
		if (sorted(event.previous) !== sorted(previous))
			findings.add(`event ${event.id} says of what was before it otherwise`);
	}
	if (event.timestamp !== data.updated_at) findings.add(`event ${event.id} has another timestamp than its data`);
	if (deleted && before?.state && lastState(data) !== lastState(before.state)) {
		findings.add(`event ${event.id} does not carry the booking's last state`);
	}
	const created = seen.find(({ operation }) => operation && isKind(operation, 'create'));
	if (created && JSON.stringify(created.data) !== JSON.stringify(data)) {
		findings.add(`event ${event.id} is not what operation ${created.operation!.op} was answered`);
	}
}

/** As one text, whatever the order of the fields. */
function sorted(previous: Previous): string {
	return JSON.stringify(Object.entries(previous).sort());
}

function lastState(booking: Booking): string {
	return JSON.stringify({ ...booking, version: 0, updated_at: '' });
}

function checkEarlierLooks({ operations, final }: History, findings: Findings): void {
	const bySequence = new Map(final.events.map((event) => [event.sequence, event]));
	for (const { op, outcome, asked, answered } of ofKind(operations, 'events')) {
		if (outcome !== 'ok') continue;
		const { events } = answered!.data as { events: BookingEvent[] };
		for (const [index, event] of events.entries()) {
			const sequence = asked.after + index + 1;
			if (event.sequence === sequence && JSON.stringify(event) === JSON.stringify(bySequence.get(sequence))) continue;
			findings.add(`operation ${op} was shown event ${event.id} as ${event.sequence}, which is not in the feed`);
			break;
		}
	}
}

/** The feed only grows, and nothing in it is old: its end was never further than it is at last. */
function checkEnds({ operations, final }: History, findings: Findings): void {
	const looks = ofKind(operations, 'events');
	const end = final.events.at(-1)?.sequence ?? 0;
	for (const { op, outcome, asked, answered, from } of looks) {
		if (outcome === 'ok' && asked.after > end) {
			findings.add(`operation ${op} was not told that ${asked.after} is beyond the end of the feed`);
		}
		if (outcome !== 'fail' || answered?.status !== 410) continue;
		const before = looks.find((look) => look.to < from && look.outcome === 'ok' && reached(look) >= asked.after);
		if (before)
			findings.add(`operation ${op} was told that ${asked.after} is beyond the end, which ${before.op} was shown`);
	}
}

/** Sequence of the last event that a look was shown. */
function reached({ answered }: Operation): number {
	return (answered!.data as { events: BookingEvent[] }).events.at(-1)?.sequence ?? 0;
}
