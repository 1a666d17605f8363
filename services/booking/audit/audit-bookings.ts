import { setTimeout as delay } from 'node:timers/promises';
import { type Caller, call } from '../../../shared/bus/call.ts';
import type { AuditPage, AuditParams, Finding } from '../../../shared/contract/reports.ts';
import type { Logger } from '../../../shared/log/log.ts';
import type { BookingEngine } from '../booking-engine.ts';
import type { BookingDocument } from '../document/booking.model.ts';
import { occurrenceName } from '../document/keys.ts';
import { auditOccurrences } from './audit-occurrences.ts';
import { faultsOf, finding, GRACE_PERIOD, inBoth, LOOK_AGAIN_AFTER } from './faults.ts';
import { repairBooking } from './repair.ts';

/** Bookings of one page; each has some KB */
const PAGE = 250;
/** What may be so for a moment, of a change that is under way */
const PASSING: readonly Finding['kind'][] = ['slot_missing', 'foreign_booking', 'event_late', 'hold_late'];
/** Whose repair gives up what a booking holds without a right */
const FREEING: readonly Finding['kind'][] = ['holds_after_end', 'service_closed', 'foreign_booking'];

/**
 * One page of the capacity audit of every account: first each booking by itself, then each occurrence with its maximum.
 * A page reads at most some hundred bookings and takes about a second more where it found something, because it looks twice.
 */
export function auditPage(
	engine: BookingEngine,
	caller: Caller,
	params: AuditParams,
	logger: Logger,
): Promise<AuditPage> {
	const { after = { booking: 0 } } = params;
	if ('booking' in after) return auditBookings(engine, caller, params, after.booking, logger);
	return auditOccurrences(engine, params, after.place);
}

/** Looks at each booking by itself, in the order of their ids, and at what it says of its slot and service. */
async function auditBookings(
	engine: BookingEngine,
	caller: Caller,
	{ service_id, repair }: AuditParams,
	after: number,
	logger: Logger,
): Promise<AuditPage> {
	const page = await engine.store.all.after(after, PAGE);
	const documents = page.filter((document) => service_id === undefined || document.service_id === service_id);
	const suspects = await inspect(engine, caller, documents);
	const { findings, byId } = await confirm(engine, caller, suspects);
	if (repair) {
		for (const one of freeingFirst(findings)) {
			const id = one.booking_ids[0]!;
			byId.set(id, await repairBooking(engine, caller, byId.get(id)!, one, logger));
		}
	}
	const next = page.length < PAGE ? { place: '' } : { booking: page.at(-1)!._id };
	return { bookings: documents.length, places: 0, findings, above_maximum: [], next };
}

/** What gives up a seat comes before what may need one. */
function freeingFirst(findings: Finding[]): Finding[] {
	const frees = ({ kind }: Finding) => FREEING.includes(kind);
	return [...findings.filter(frees), ...findings.filter((one) => !frees(one))];
}

async function confirm(
	engine: BookingEngine,
	caller: Caller,
	suspects: Finding[],
): Promise<{ findings: Finding[]; byId: Map<number, BookingDocument> }> {
	if (suspects.length === 0) return { findings: [], byId: new Map() };
	// What is wrong within one document is so at any moment; what two of them say may be a change that was met half way.
	// And an event may be on its way right now, which a clock that is ahead calls late.
	if (suspects.some(({ kind }) => PASSING.includes(kind))) await delay(LOOK_AGAIN_AFTER);
	const ids = [...new Set(suspects.flatMap((suspect) => suspect.booking_ids))];
	const documents = await engine.store.all.byIds(ids);
	const findings = inBoth(suspects, await inspect(engine, caller, documents));
	return { findings, byId: new Map(documents.map((document) => [document._id, document])) };
}

async function inspect(engine: BookingEngine, caller: Caller, documents: BookingDocument[]): Promise<Finding[]> {
	const now = engine.store.clock.now();
	const missing = await slotsMissing(engine, documents); // before the marks: a deletion hides its slots, then leaves its mark
	const owners = await ownersOf(caller, missing);
	const services = [...new Set(documents.map((document) => document.service_id))];
	const marks = await engine.store.closures.ofServices(services);
	const closed = new Map(marks.map(({ _id, closed_at }) => [_id, Date.parse(closed_at)]));
	return documents.flatMap((document) => {
		const occurrence = occurrenceName(document.time_slot_id, document.date);
		const of = (kind: Finding['kind'], detail: string) => finding(kind, occurrence, [document._id], detail);
		const closedAt = closed.get(document.service_id);
		if (document.deleted_at === null && closedAt !== undefined) {
			if (now - closedAt <= GRACE_PERIOD) return []; // the closing is under way
			return [of('service_closed', `service ${document.service_id} is deleted, its booking is not`)];
		}
		const owner = owners.get(document._id);
		if (owner !== undefined) return [of('foreign_booking', `of account ${document.account_id}, on a slot of ${owner}`)];
		const seen = engine.sweeper.seenFor(document._id);
		const found = faultsOf(document, closedAt !== undefined, now, seen).map(({ kind, detail }) => of(kind, detail));
		if (missing.has(document._id)) {
			found.push(of('slot_missing', `service ${document.service_id} has no time slot ${document.time_slot_id}`));
		}
		return found;
	});
}

/** Bookings that are not deleted and whose slot catalog does not know as their account's and service's. By id. */
async function slotsMissing(
	{ slots }: BookingEngine,
	documents: BookingDocument[],
): Promise<Map<number, BookingDocument>> {
	const alive = documents.filter((document) => document.deleted_at === null);
	const known = await Promise.all(
		alive.map(({ account_id, time_slot_id }) => slots.ask({ account_id, time_slot_id, retired: true })),
	);
	const missing = alive.filter(({ service_id }, at) => known[at]?.slot.service_id !== service_id);
	return new Map(missing.map((document) => [document._id, document]));
}

/** Whose slot it is that another account's booking is on, by the booking's id. */
async function ownersOf(caller: Caller, missing: Map<number, BookingDocument>): Promise<Map<number, string>> {
	const slotIds = [...new Set([...missing.values()].map(({ time_slot_id }) => time_slot_id))];
	const found = await Promise.all(slotIds.map((time_slot_id) => call(caller, 'catalog.findSlot', { time_slot_id })));
	const owners = new Map(slotIds.map((id, index) => [id, found[index]?.account_id]));
	return new Map(
		[...missing.values()].flatMap(({ _id, account_id, time_slot_id }) => {
			const owner = owners.get(time_slot_id);
			return owner === undefined || owner === account_id ? [] : [[_id, owner] as const];
		}),
	);
}
