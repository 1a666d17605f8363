import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { dayOfWeek } from '../../shared/calendar/plain-date.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { AvailabilityEntry } from '../../shared/contract/schemas/availability.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { anySeed, Random } from '../proof/random.ts';
import { ZONES } from '../support/clock-changes.ts';
import { CalendarWorld } from './calendar-world.ts';
import { drawChange, drawMoment, drawOverride, drawRange, drawSlots, everyPlace, type Range } from './draw-calendar.ts';

/** Creations and moves that are tried, each after availability was asked; nightly 100,000 */
const TRIES = Number(process.env.BOOKABLE_TRIES ?? 1_000);
/** Until each outcome came, it goes on; one that does not come in so many times as many tries does not come. */
const MOST = 8;
const seed = Number(process.env.PROOF_SEED ?? anySeed());
/** Moments at which one service is looked at */
const MOMENTS = 4;

/** What a refusal says where availability gives this reason. */
const CODES = { full: 'time_slot_full', closed: 'closed', notice: 'notice', horizon: 'horizon' } as const;

let world: CalendarWorld;
beforeAll(async () => {
	world = await CalendarWorld.start();
});
afterAll(() => world.stop());

/** How often each outcome came: a property of outcomes that never come says nothing. */
const seen = new Map<string, number>();
const outcomes = {
	created: expect.any(Number),
	'in place of a hold': expect.any(Number),
	moved: expect.any(Number),
	...Object.fromEntries(Object.values(CODES).map((code) => [code, expect.any(Number)])),
	wrong_weekday: expect.any(Number),
	outside_validity: expect.any(Number),
};

test(
	`S6: When a creation or a move is tried wherever a random calendar is asked for, then it succeeds if and only if availability said bookable, and is refused as it said (seed ${seed})`,
	async () => {
		const random = new Random(seed);
		const isUnseen = () => Object.keys(outcomes).some((outcome) => !seen.has(outcome));
		for (let tries = 0; tries < TRIES || (tries < MOST * TRIES && isUnseen()); ) tries += await tryCalendar(random);
		expect(Object.fromEntries(seen)).toEqual(outcomes);
	},
	240_000 + MOST * TRIES * 60,
);

/** A service with its slots, overrides and bookings, at several moments under rules of its own each. @returns the tries */
async function tryCalendar(random: Random): Promise<number> {
	const range = drawRange(random);
	const timezone = random.pick(ZONES);
	world.now = Date.parse(`${range.from}T00:00:00Z`);
	const body = { name: 'Calendar', timezone, time_slots: drawSlots(random, range) };
	const { id: service_id } = (await world.call('catalog.createService', { body })).data;
	let tries = 0;
	for (let moment = 0; moment < MOMENTS; moment++) {
		const slots = await changeSlots(random, service_id, range);
		const rows = await availability(service_id, range, true);
		const { now, rules } = drawMoment(random, rows, timezone, range);
		await world.call('catalog.updateService', { service_id, body: { rules } });
		world.now = now;
		tries += await tryEach(random, service_id, slots, range);
	}
	return tries;
}

async function changeSlots(random: Random, service_id: number, range: Range): Promise<TimeSlot[]> {
	const list = () => world.call('catalog.listSlots', { service_id, page: 1, page_size: 100, all: true });
	const ids = (await list()).time_slots.map(({ id }) => id);
	const changed = ids.filter(() => random.chance(0.3)).map((id) => drawChange(random, id, range));
	const time_slots = changed.filter(({ valid_from, valid_until }) => isPeriod(valid_from, valid_until));
	if (time_slots.length > 0) await world.call('catalog.updateSlots', { body: { time_slots } });
	if (random.chance(0.5)) {
		await world.call('catalog.createOverride', { service_id, body: drawOverride(random, ids, range) });
	}
	return (await list()).time_slots;
}

function isPeriod(from: string | null = null, until: string | null = null): boolean {
	return from === null || until === null || from <= until;
}

async function availability(service_id: number, range: Range, ignore_rules: boolean): Promise<AvailabilityEntry[]> {
	const { availability: rows, next } = await world.call('booking.availability', { service_id, ...range, ignore_rules });
	expect(next).toBeNull();
	return rows;
}

/** Asks what can be booked, then tries each place once, in any order, so that no try changes what was said of another. */
async function tryEach(random: Random, service_id: number, slots: TimeSlot[], range: Range): Promise<number> {
	const ignore_rules = random.chance(0.15);
	const { timezone, rules } = await world.call('catalog.getService', { service_id });
	const rows = await availability(service_id, range, ignore_rules);
	const said = new Map(rows.map((row) => [`${row.time_slot_id} ${row.date}`, row]));
	const byId = new Map(slots.map((slot) => [slot.id, slot]));
	const made: number[] = [];
	let tries = 0;
	for (const place of random.shuffled(everyPlace([...byId.keys()], range))) {
		const row = said.get(`${place.time_slot_id} ${place.date}`);
		const slot = byId.get(place.time_slot_id)!;
		const isOnWeekday = slot.day_of_week === dayOfWeek(place.date);
		if (row === undefined && !isOnWeekday && random.chance(0.8)) continue; // six of seven places are no news
		const wanted = wantedOf(row, isOnWeekday);
		// What moves was made at a place that was tried before.
		const moving = random.chance(0.2) ? made.at(-1) : undefined;
		const hold_minutes = random.chance(0.5) ? random.between(1, 10_080) : null;
		const outcome = await tryPlace({ ...place, hold_minutes }, ignore_rules, moving);
		if (outcome.is === 'ok' && wantsEnded(place))
			seen.set('in place of a hold', (seen.get('in place of a hold') ?? 0) + 1);
		if (outcome.is === 'ok' && moving === undefined && hold_minutes !== null) noteHold(place, hold_minutes);
		if (outcome.id !== undefined && moving === undefined) made.push(outcome.id);
		if (outcome.is !== wanted) {
			const shown = { place, row, slot, timezone, rules, now: new Date(world.now).toISOString() };
			expect({ ...shown, outcome: outcome.is }).toEqual({ ...shown, outcome: wanted });
		}
		const counted = outcome.is === 'ok' ? (moving === undefined ? 'created' : 'moved') : outcome.is;
		seen.set(counted, (seen.get(counted) ?? 0) + 1);
		tries++;
	}
	return tries;
}

/** By occurrence, when holds that were made there end, ms: those of earlier moments may have ended by now. */
const holds = new Map<string, number[]>();

function noteHold({ time_slot_id, date }: { time_slot_id: number; date: string }, minutes: number): void {
	const occurrence = `${time_slot_id} ${date}`;
	holds.set(occurrence, [...(holds.get(occurrence) ?? []), world.now + minutes * 60_000]);
}

function wantsEnded({ time_slot_id, date }: { time_slot_id: number; date: string }): boolean {
	return (holds.get(`${time_slot_id} ${date}`) ?? []).some((end) => end <= world.now);
}

function wantedOf(row: AvailabilityEntry | undefined, isOnWeekday: boolean): string {
	if (row === undefined) return isOnWeekday ? 'outside_validity' : 'wrong_weekday';
	if (row.bookable !== (row.reason === null)) return 'a row that agrees with itself';
	return row.reason === null ? 'ok' : CODES[row.reason];
}

/** @param moving the booking that moves there; undefined: one is made */
async function tryPlace(
	{ hold_minutes, ...place }: { date: string; time_slot_id: number; hold_minutes: number | null },
	ignore_rules: boolean,
	moving: number | undefined,
): Promise<{ is: string; id?: number }> {
	try {
		if (moving === undefined) {
			return {
				is: 'ok',
				id: (await world.call('booking.create', { body: { ...place, hold_minutes }, ignore_rules })).data.id,
			};
		}
		const { id } = await world.call('booking.update', { booking_id: moving, body: place, ignore_rules });
		return { is: 'ok', id };
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		return { is: error.faults?.[0]?.code ?? error.type };
	}
}
