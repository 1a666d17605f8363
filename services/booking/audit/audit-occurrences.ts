import { setTimeout as delay } from 'node:timers/promises';
import type { AboveMaximum, AuditPage, AuditParams } from '../../../shared/contract/reports.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import type { BookingEngine } from '../booking-engine.ts';
import type { Holder } from '../document/all-bookings.ts';
import type { BookingStore } from '../document/booking-store.ts';
import { filler, placeOf, seatOf } from '../document/keys.ts';
import { hasOwnSeat, SETTLED_AFTER } from './faults.ts';
import { type Finding, finding, inBoth, LOOK_AGAIN_AFTER } from './findings.ts';

/** Bookings of one page; an occurrence that has more is read as a whole: a maximum is at most 10,000 */
const PAGE = 1_000;

/** Counts each occurrence against its maximum, its seats and its customers, by the rule that the engine books by. */
export async function auditOccurrences(
	engine: BookingEngine,
	{ service_id }: AuditParams,
	after: string,
): Promise<AuditPage> {
	const { holders, next } = await readOccurrences(engine.store, after);
	const places = group(holders, service_id);
	const suspects = await judgeAll(engine, places);
	if (suspects.findings.length > 0) await delay(LOOK_AGAIN_AFTER);
	const again = await judgeAll(engine, await readAgain(engine.store, suspects.findings, service_id));
	return {
		bookings: 0,
		places: places.size,
		findings: inBoth(suspects.findings, again.findings),
		above_maximum: suspects.above,
		next: next === null ? null : { place: next },
	};
}

/** Whole occurrences only: the last one of a full page may go on behind it. */
async function readOccurrences(
	store: BookingStore,
	after: string,
): Promise<{ holders: Holder[]; next: string | null }> {
	const page = await store.all.holdersAfter(after, PAGE);
	if (page.length < PAGE) return { holders: page, next: null };
	const last = page.at(-1)!.place;
	const whole = page.filter(({ place }) => place !== last);
	if (whole.length > 0) return { holders: whole, next: whole.at(-1)!.place };
	return { holders: await store.all.holdersOf([last]), next: last };
}

async function readAgain(
	store: BookingStore,
	suspects: Finding[],
	service_id: number | undefined,
): Promise<Map<string, Holder[]>> {
	if (suspects.length === 0) return new Map();
	return group(await store.all.holdersOf([...new Set(suspects.map(({ place }) => place))]), service_id);
}

/** By occurrence. A booking that holds a seat of another one is a finding of its own, and counts nowhere here. */
function group(holders: Holder[], service_id: number | undefined): Map<string, Holder[]> {
	const own = holders.filter(
		(holder) =>
			holder.place === placeOf(holder.time_slot_id, holder.date) &&
			(service_id === undefined || holder.service_id === service_id),
	);
	return Map.groupBy(own, ({ place }) => place);
}

interface Judgement {
	findings: Finding[];
	above: AboveMaximum[];
}

async function judgeAll({ slots }: BookingEngine, places: Map<string, Holder[]>): Promise<Judgement> {
	const judgements = await Promise.all(
		[...places].map(async ([place, holders]): Promise<Judgement> => {
			// One account's, except for what version 0.1 let another account book there. All that holds a seat is counted.
			const accounts = new Map(holders.map(({ account_id, time_slot_id }) => [account_id, time_slot_id]));
			const keys = [...accounts].map(([account_id, time_slot_id]) => ({ account_id, time_slot_id }));
			const slot = (await Promise.all(keys.map((key) => slots.ask(key)))).find((found) => found !== null);
			return slot === undefined ? { findings: [], above: [] } : judge(place, holders, slot); // else a finding of each
		}),
	);
	return {
		findings: judgements.flatMap(({ findings }) => findings),
		above: judgements.flatMap(({ above }) => above),
	};
}

/** One occurrence. */
export function judge(place: string, holders: Holder[], slot: TimeSlot): Judgement {
	const max = slot.max_bookings;
	const above = holders.filter((holder) => seatOf(holder.seat_key) >= max);
	const late = holders.filter((holder) => madeUnder(slot, holder));
	const findings = [
		...shared(holders.filter(hasOwnSeat), ({ seat_key }) => seat_key).map((ids) =>
			finding('seat_taken_twice', place, ids, 'one seat, several bookings'),
		),
		...shared(
			holders.filter(({ _id, customer_key }) => customer_key !== filler(_id)),
			({ customer_key }) => customer_key,
		).map((ids) => finding('customer_twice', place, ids, 'one customer, several bookings')),
		...above
			.filter((holder) => hasOwnSeat(holder) && late.includes(holder))
			.map(({ _id, seat_key }) =>
				finding('seat_above_maximum', place, [_id], `seat ${seatOf(seat_key)} was never open, the maximum is ${max}`),
			),
	];
	if (holders.length <= max) return { findings, above: [] };
	if (late.length > 0) {
		const detail = `${holders.length} bookings, the maximum is ${max} and was not lowered since the last of them`;
		return { findings: [...findings, finding('overbooked', place, idsOf(late), detail)], above: [] };
	}
	return { findings, above: [{ place, active: holders.length, max, seats_above: above.length }] };
}

/**
 * Whether the booking was made under the maximum of now: then it, and all that was there, fitted in. Only a slot that
 * was changed after the booking, or shortly before, may have had another maximum then.
 */
function madeUnder({ created_at, updated_at }: TimeSlot, holder: Holder): boolean {
	return created_at === updated_at || Date.parse(holder.created_at) > Date.parse(updated_at) + SETTLED_AFTER;
}

/** The ids of those that have one key together. */
function shared(holders: Holder[], keyOf: (holder: Holder) => string): number[][] {
	return [...Map.groupBy(holders, keyOf).values()].filter(({ length }) => length > 1).map(idsOf);
}

function idsOf(holders: Holder[]): number[] {
	return holders.map(({ _id }) => _id).sort((a, b) => a - b);
}
