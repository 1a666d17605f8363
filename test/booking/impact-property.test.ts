import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ActionName, Params, Result } from '../../shared/contract/actions.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import type { AboveMaximum } from '../../shared/contract/reports.ts';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { Impact } from '../../shared/contract/schemas/impact.ts';
import type { ReplaceSchedule, ScheduledSlot } from '../../shared/contract/schemas/schedule.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { wallClock } from '../catalog/zone-oracle.ts';
import { anySeed, Random } from '../proof/random.ts';
import { ZONES } from '../support/clock-changes.ts';
import { CalendarWorld } from './calendar-world.ts';
import { drawChange, drawOverride, drawRange, drawSlots, everyPlace, type Range } from './draw-calendar.ts';

/** Changes that are previewed, then done; nightly more */
const CHANGES = Number(process.env.IMPACT_CHANGES ?? 150);
const seed = Number(process.env.PROOF_SEED ?? anySeed());
const DAY = 86_400_000;

let world: CalendarWorld;
beforeAll(async () => {
	world = await CalendarWorld.start();
});
afterAll(() => world.stop());

/** How often each came: a property of outcomes that never come says nothing. */
const seen = { over_capacity: 0, retired: 0, out_of_step: 0, not_scheduled: 0, nothing: 0, refused: 0, past: 0 };

test(
	`S8: When a random change of a calendar is previewed, then nothing changes, and what it tells is what audit, lists and availability say once it is done (seed ${seed})`,
	async () => {
		const random = new Random(seed);
		const unseen = () => Object.entries(seen).filter(([, times]) => times === 0);
		for (let changes = 0; changes < CHANGES; changes += 3) await tryCalendar(random);
		for (let more = 0; more < CHANGES && unseen().length > 0; more += 3) await tryCalendar(random);
		expect(unseen()).toEqual([]);
	},
	240_000 + CHANGES * 2_000,
);

test('B6, S8: When a hold has ended, then its booking is no impact, whether it was cancelled yet or not', async () => {
	const time_slots = [
		{ day_of_week: 1, start_time: '2026-01-05 09:00:00', end_time: '2026-01-05 10:00:00', max_bookings: 2 },
	];
	const body = { name: 'Held', timezone: 'UTC', time_slots };
	const { id: service_id } = (await world.call('catalog.createService', { body })).data;
	const [slot] = await slotsOf(service_id);
	world.now = Date.parse('2099-01-01T12:00:00Z');
	const place = { date: '2099-01-05', time_slot_id: slot!.id };
	const held = await world.call('booking.create', { body: { ...place, hold_minutes: 1 } });
	const closing = { body: { time_slots: [{ id: slot!.id, max_bookings: 0 }] } };
	const totals = async () => (await world.call('catalog.previewSlots', closing)).impact.over_capacity.total;
	expect(await totals()).toBe(1);
	world.now = Date.parse(held.data.expires_at!);
	expect(await totals()).toBe(0);
});

async function tryCalendar(random: Random): Promise<void> {
	const range = drawRange(random);
	const timezone = random.pick(ZONES);
	world.now = Date.parse(`${range.from}T00:00:00Z`) - 2 * DAY;
	const body = { name: 'Calendar', timezone, time_slots: drawSlots(random, range) };
	const { id: service_id } = (await world.call('catalog.createService', { body })).data;
	for (let change = 0; change < 3; change++) {
		const ids = (await slotsOf(service_id)).map(({ id }) => id);
		if (ids.length === 0) return;
		await bookSome(random, ids, range);
		world.now += 1 + random.between(0, 60) * 3_600_000; // no slot is made and changed in one and the same millisecond
		await tryChange(await drawnChange(random, service_id, ids, range), service_id, range);
	}
}

const slotsOf = async (service_id: number) =>
	(await world.call('catalog.listSlots', { service_id, page: 1, page_size: 100, all: true })).time_slots;

/** Where it is full or not to be had, none is made; some are cancelled. */
async function bookSome(random: Random, ids: number[], range: Range): Promise<void> {
	const places = random.shuffled(everyPlace(ids, range)).slice(0, 25);
	for (const body of places) {
		const made = await world.call('booking.create', { body, ignore_rules: true }).catch(apiError);
		if (made instanceof ApiError || random.chance(0.9)) continue;
		const cancel = { status: 'cancelled' as const, cancel_reason: 'x' };
		await world.call('booking.update', { booking_id: made.data.id, body: cancel });
	}
}

/** A change: how it is previewed and done, and which slots and dates it is about. */
interface Change {
	preview(): Promise<{ answer: object; impact: Impact }>;
	carryOut(): Promise<object>;
	slot_ids: number[];
	from: string;
	to: string;
}

/** @param ids of its slots */
async function drawnChange(random: Random, service_id: number, ids: number[], range: Range): Promise<Change> {
	const always = { slot_ids: ids, from: '', to: '9999-12-31' };
	const kind = random.index(4);
	if (kind === 3) {
		const body = { timezone: random.pick(ZONES), time_slots: drawnSchedule(random, await slotsOf(service_id), range) };
		return { ...always, ...replacement(service_id, body) };
	}
	if (kind === 0) {
		const body = { timezone: random.pick(ZONES), version: random.chance(0.1) ? 99 : undefined };
		return {
			...always,
			async preview() {
				const { impact, ...answer } = (await world.call('catalog.previewService', { service_id, body })).data;
				return { answer, impact };
			},
			carryOut: () => world.call('catalog.updateService', { service_id, body }),
		};
	}
	if (kind === 1) {
		const named = random.shuffled(ids).slice(0, random.between(1, ids.length));
		const time_slots = named.map((id) => drawChange(random, id, range)); // some end before they begin
		if (random.chance(0.3)) time_slots[0]!.day_of_week = random.index(7);
		if (random.chance(0.05)) time_slots.push({ id: 1_000_000_000 });
		return {
			...always,
			...both('catalog.previewSlots', 'catalog.updateSlots', { body: { time_slots } }),
			slot_ids: named,
		};
	}
	const body = drawOverride(random, ids, range);
	if (random.chance(0.1)) body.time_slot_id = 1_000_000_000;
	const { date_from: from, date_to: to, time_slot_id } = body;
	const slot_ids = time_slot_id == null ? ids : [time_slot_id];
	return { ...both('catalog.previewOverride', 'catalog.createOverride', { service_id, body }), slot_ids, from, to };
}

/** Some stay, changed or not, some go, some are new. */
function drawnSchedule(random: Random, slots: readonly TimeSlot[], range: Range): ScheduledSlot[] {
	const stay = slots
		.filter(() => random.chance(0.7))
		.map((slot) => {
			return random.chance(0.5) ? slot : { ...slot, ...drawChange(random, slot.id, range) };
		});
	return [...stay, ...drawSlots(random, range).slice(0, random.index(3))];
}

/** New slots have no ids before they are there. */
function replacement(service_id: number, body: ReplaceSchedule): Pick<Change, 'preview' | 'carryOut'> {
	return {
		async preview() {
			const { impact, ...answer } = (await world.call('catalog.previewSchedule', { service_id, body })).data;
			return { answer, impact };
		},
		async carryOut() {
			const known = body.time_slots.map(({ id }) => id);
			const done = await world.call('catalog.replaceSchedule', { service_id, body });
			const time_slots = done.time_slots.map((slot) => (known.includes(slot.id) ? slot : { ...slot, id: null }));
			return { ...done, time_slots };
		},
	};
}

function both<P extends 'catalog.previewSlots' | 'catalog.previewOverride', A extends ActionName>(
	preview: P,
	action: A,
	params: Omit<Params<P> & Params<A>, 'account_id'>,
): Pick<Change, 'preview' | 'carryOut'> {
	return {
		async preview() {
			const { impact, ...answer } = (await world.call(preview, params)) as Result<P>;
			return { answer, impact };
		},
		carryOut: async () => (await world.call(action, params)) as object,
	};
}

async function tryChange({ preview, carryOut, ...part }: Change, service_id: number, range: Range): Promise<void> {
	const before = await everything(service_id, range);
	const told = await preview().catch(apiError);
	expect(await everything(service_id, range)).toEqual(before);
	const done = await carryOut().catch(apiError);
	if (told instanceof ApiError || done instanceof ApiError) {
		expect(told).toEqual(done);
		seen.refused++;
		return;
	}
	const isNew = 'id' in told.answer && told.answer.id === null;
	expect(told.answer).toEqual(isNew ? { ...done, id: null } : done);
	const wanted = await impactNow(service_id, part, range);
	expect(told.impact).toEqual(wanted);
	count(wanted);
}

/** All that a change could change. */
async function everything(service_id: number, { from, to }: Range) {
	return {
		service: await world.call('catalog.getService', { service_id }),
		slots: await slotsOf(service_id),
		schedule: await world.call('catalog.getSchedule', { service_id }),
		overrides: await world.call('catalog.listOverrides', { service_id, offset: 0, limit: 1_000 }),
		bookings: await bookingsOf(service_id),
		availability: await world.call('booking.availability', { service_id, from, to }),
	};
}

async function bookingsOf(service_id: number): Promise<readonly Booking[]> {
	return (await world.call('booking.list', { service_id, filters: {}, offset: 0, limit: 1_000, piece: 1_000 }))
		.bookings;
}

/** What the change has come to, as lists, availability and audit say of the slots and dates that it was about. */
async function impactNow(
	service_id: number,
	{ slot_ids, from, to }: Omit<Change, 'preview' | 'carryOut'>,
	range: Range,
): Promise<Impact> {
	const { timezone } = await world.call('catalog.getService', { service_id });
	const today = wallClock(timezone, world.now).slice(0, 10);
	const isAsked = ({ time_slot_id, date }: { time_slot_id: number; date: string }) =>
		slot_ids.includes(time_slot_id) && date >= from && date <= to && date >= today;
	const active = (await bookingsOf(service_id)).filter(({ status }) => status !== 'cancelled');
	seen.past += active.filter((booking) => !isAsked(booking)).length;
	const { availability } = await world.call('booking.availability', { service_id, ...range, ignore_rules: true });
	const scheduled = new Map(availability.map((row) => [`${row.time_slot_id}:${row.date}`, row]));
	const over = (await aboveMaximum(service_id)).map(({ place, active: booked, max: max_bookings }) => {
		const [slot, date] = place.split(':');
		return { time_slot_id: Number(slot), date: date!, booked, max_bookings };
	});
	const there = (await slotsOf(service_id)).map(({ id }) => id);
	const promised = ({ id: booking_id, time_slot_id, date, starts_at, ends_at }: Booking) => {
		return { booking_id, time_slot_id, date, starts_at, ends_at };
	};
	const retired = active.filter(({ time_slot_id }) => !there.includes(time_slot_id)).map(promised);
	seen.retired += retired.length;
	const moved = active.flatMap((booking) => {
		if (!there.includes(booking.time_slot_id)) return [];
		const { time_slot_id, date, starts_at, ends_at } = booking;
		const row = scheduled.get(`${time_slot_id}:${date}`);
		const isSame = (one: string, other: string | undefined) => Date.parse(one) === Date.parse(other ?? '');
		if (isSame(starts_at, row?.starts_at) && isSame(ends_at, row?.ends_at)) return [];
		const now = { scheduled_starts_at: row?.starts_at ?? null, scheduled_ends_at: row?.ends_at ?? null };
		return [{ ...promised(booking), ...now }];
	});
	return {
		over_capacity: told(over.filter((row) => isAsked(row) && there.includes(row.time_slot_id))),
		retired: told(retired.filter(isAsked)),
		out_of_step: told(moved.filter(isAsked)),
	};
}

function told<T extends { date: string; time_slot_id: number; booking_id?: number }>(rows: T[]) {
	const keyOf = ({ date, time_slot_id, booking_id = 0 }: T) =>
		`${date} ${[time_slot_id, booking_id].map((id) => String(id).padStart(9, '0')).join(' ')}`;
	const items = rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
	return { total: items.length, items: items.slice(0, 100) };
}

async function aboveMaximum(service_id: number): Promise<AboveMaximum[]> {
	const found: AboveMaximum[] = [];
	for (let after: Params<'booking.audit'>['after'] | null = { place: '' }; after !== null; ) {
		const page: Result<'booking.audit'> = await world.call('booking.audit', { service_id, after, repair: false });
		expect(page.findings).toEqual([]);
		found.push(...page.above_maximum);
		after = page.next;
	}
	return found;
}

function count({ over_capacity, out_of_step }: Impact): void {
	seen.over_capacity += over_capacity.total;
	seen.out_of_step += out_of_step.total;
	seen.not_scheduled += out_of_step.items.filter((row) => row.scheduled_starts_at === null).length;
	if (over_capacity.total + out_of_step.total === 0) seen.nothing++;
}

function apiError(error: unknown): ApiError {
	if (error instanceof ApiError) return error;
	throw error;
}
