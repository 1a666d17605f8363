import { setTimeout as delay } from 'node:timers/promises';
import { maximumOf } from '../../../shared/calendar/bookable.ts';
import type { SlotNow } from '../../../shared/contract/actions.ts';
import type { AboveMaximum, AuditPage, AuditParams, Finding } from '../../../shared/contract/reports.ts';
import type { BookingEngine } from '../booking-engine.ts';
import type { OccupantDocument } from '../document/all-bookings.ts';
import type { BookingStore } from '../document/booking-store.ts';
import { filler, occurrenceName } from '../document/keys.ts';
import { finding, GRACE_PERIOD, hasOwnSeat, inBoth, LOOK_AGAIN_AFTER } from './faults.ts';

/** Bookings of one page; an occurrence that has more is read as a whole: a maximum is at most 10,000 */
const PAGE = 1_000;

/** Counts each occurrence against its maximum, its seats and its customers, by the rule that the engine books by. */
export async function auditOccurrences(
	engine: BookingEngine,
	{ service_id }: AuditParams,
	after: string,
): Promise<AuditPage> {
	const { occupants, next } = await readOccurrences(engine.store, after);
	const byOccurrence = group(occupants, service_id);
	const { findings: suspects, above } = await judgeAll(engine, byOccurrence);
	let findings: Finding[] = [];
	if (suspects.length > 0) {
		await delay(LOOK_AGAIN_AFTER);
		const again = await engine.store.all.occupantsOf([...new Set(suspects.map(({ place }) => place))]);
		findings = inBoth(suspects, (await judgeAll(engine, group(again, service_id))).findings);
	}
	return {
		bookings: 0,
		places: byOccurrence.size,
		findings,
		above_maximum: above,
		next: next === null ? null : { place: next },
	};
}

/** Whole occurrences only: the last one of a full page may go on behind it. */
async function readOccurrences(
	store: BookingStore,
	after: string,
): Promise<{ occupants: OccupantDocument[]; next: string | null }> {
	const page = await store.all.occupantsAfter(after, PAGE);
	if (page.length < PAGE) return { occupants: page, next: null };
	const last = page.at(-1)!.place;
	const whole = page.filter(({ place }) => place !== last);
	if (whole.length > 0) return { occupants: whole, next: whole.at(-1)!.place };
	return { occupants: await store.all.occupantsOf([last]), next: last };
}

/** By occurrence. A booking that holds a seat of another one, or is deleted, is judged by itself, and counts nowhere here. */
function group(occupants: OccupantDocument[], service_id: number | undefined): Map<string, OccupantDocument[]> {
	const own = occupants.filter(
		(occupant) =>
			occupant.deleted_at === null &&
			occupant.place === occurrenceName(occupant.time_slot_id, occupant.date) &&
			(service_id === undefined || occupant.service_id === service_id),
	);
	return Map.groupBy(own, ({ place }) => place);
}

interface Judgement {
	findings: Finding[];
	above: AboveMaximum[];
}

async function judgeAll({ slots }: BookingEngine, byOccurrence: Map<string, OccupantDocument[]>): Promise<Judgement> {
	const judgements = await Promise.all(
		[...byOccurrence].map(async ([occurrence, occupants]): Promise<Judgement> => {
			// One account's, except for what version 0.1 let another account book there. All that holds a seat is counted.
			const accounts = new Map(occupants.map((occupant) => [occupant.account_id, occupant]));
			const keys = [...accounts].map(([account_id, { time_slot_id, date }]) => {
				return { account_id, time_slot_id, date, retired: true as const };
			});
			const slot = (await Promise.all(keys.map((key) => slots.ask(key)))).find((found) => found !== null);
			return slot === undefined ? { findings: [], above: [] } : judge(occurrence, occupants, slot); // else a finding of each
		}),
	);
	return {
		findings: judgements.flatMap(({ findings }) => findings),
		above: judgements.flatMap(({ above }) => above),
	};
}

function judge(occurrence: string, occupants: OccupantDocument[], now: SlotNow): Judgement {
	const max = maximumOf(now.slot, now.override);
	const above = occupants.filter((occupant) => occupant.seat >= max);
	const late = occupants.filter((occupant) => madeUnder(now, occupant));
	const findings = [
		...shared(occupants.filter(hasOwnSeat), ({ seat }) => seat).map((ids) =>
			finding('seat_taken_twice', occurrence, ids, 'one seat, several bookings'),
		),
		...shared(
			occupants.filter(({ _id, customer_key }) => customer_key !== filler(_id)),
			({ customer_key }) => customer_key,
		).map((ids) => finding('customer_twice', occurrence, ids, 'one customer, several bookings')),
		...above
			.filter((occupant) => hasOwnSeat(occupant) && late.includes(occupant))
			.map(({ _id, seat }) =>
				finding('seat_above_maximum', occurrence, [_id], `seat ${seat} was never open, the maximum is ${max}`),
			),
	];
	if (occupants.length <= max) return { findings, above: [] };
	if (late.length > 0) {
		const detail = `${occupants.length} bookings, the maximum is ${max} and was not lowered since the last of them`;
		return { findings: [...findings, finding('overbooked', occurrence, idsOf(late), detail)], above: [] };
	}
	return { findings, above: [{ place: occurrence, active: occupants.length, max, seats_above: above.length }] };
}

/**
 * Whether the booking was made under the maximum of now: then it, and all that was there, fitted in. Only a slot that
 * was changed, itself or by an override, after the booking or shortly before, may have had another maximum then.
 */
function madeUnder({ slot, overrides_changed_at }: SlotNow, occupant: OccupantDocument): boolean {
	const changes = [slot.updated_at === slot.created_at ? null : slot.updated_at, overrides_changed_at];
	return changes.every((at) => at === null || Date.parse(occupant.created_at) > Date.parse(at) + GRACE_PERIOD);
}

/** The ids of those that have one key together. */
function shared(occupants: OccupantDocument[], keyOf: (occupant: OccupantDocument) => string | number): number[][] {
	return [...Map.groupBy(occupants, keyOf).values()].filter(({ length }) => length > 1).map(idsOf);
}

function idsOf(occupants: OccupantDocument[]): number[] {
	return occupants.map(({ _id }) => _id).sort((a, b) => a - b);
}
