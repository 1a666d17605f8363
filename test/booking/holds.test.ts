import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { BookingDocument } from '../../services/booking/document/booking.model.ts';
import { HoldSweeper } from '../../services/booking/holds/hold-sweeper.ts';
import { Holds } from '../../services/booking/holds/holds.ts';
import { Relay } from '../../services/booking/outbox/relay.ts';
import type { NewEvent } from '../../shared/contract/actions.ts';
import type { AuditCursor, AuditPage, AuditParams, Finding } from '../../shared/contract/reports.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { until } from '../support/until.ts';
import { ACCOUNT, type Engine, MONDAY, NEXT_MONDAY, onBothStores, outcome, tally, World } from './engines.ts';

const MINUTE = 60_000; // ms
const HOUR = 60 * MINUTE;

onBothStores('Holds in several processes without the lock', (form) => {
	let world: World;
	beforeAll(async () => {
		// Nobody comes but who needs a place.
		const sweep = jest.spyOn(HoldSweeper.prototype, 'start').mockImplementation(() => {});
		world = await World.start(form, 3);
		sweep.mockRestore();
	});
	afterAll(() => world.stop());

	const any = (): Engine => world.engines[Math.floor(Math.random() * world.engines.length)]!;
	const book = (slot: TimeSlot, more: Record<string, unknown> = {}, engine = any()) =>
		engine.call('create', { body: { date: MONDAY, time_slot_id: slot.id, ...more } });
	const hold = async (slot: TimeSlot, more: Record<string, unknown> = {}, engine = any()) =>
		(await book(slot, { hold_minutes: 1, ...more }, engine)).data.id;
	const holds = (slot: TimeSlot, count: number) => Promise.all(Array.from({ length: count }, () => hold(slot)));
	const change = (booking_id: number, body: object, engine = any()) =>
		outcome(engine.call('update', { booking_id, body }));
	const claims = (slot: TimeSlot, count: number) =>
		Promise.all(Array.from({ length: count }, () => outcome(book(slot))));
	const stored = (slot: TimeSlot) =>
		world.bookings.find({ account_id: ACCOUNT, time_slot_id: slot.id }).lean<BookingDocument[]>();

	test('B6: When holds have ended and nobody came, then claims have their places, and no more than these', async () => {
		const slot = world.addSlot(10);
		await holds(slot, 10);
		expect(tally(await claims(slot, 20))).toEqual({ 'time slot is full': 20 });
		world.ahead += MINUTE;
		expect(tally(await claims(slot, 30))).toEqual({ ok: 10, 'time slot is full': 20 });
		expect(await world.active(slot)).toBe(10);
		const ended = (await stored(slot)).filter(({ status }) => status === 'cancelled');
		expect(ended).toHaveLength(10);
		for (const one of ended) expect(one).toMatchObject({ cancel_reason: 'expired', version: 2, held_until: 0 });
	});

	test('B6: When a place is free beside one whose hold has ended, then that one is left alone', async () => {
		const slot = world.addSlot(3);
		await holds(slot, 2);
		world.ahead += MINUTE;
		expect(await claims(slot, 1)).toEqual(['ok']);
		expect(await world.active(slot)).toBe(3);
	});

	test('B6: When two claims meet one place whose hold has ended, then one gets it, each time', async () => {
		for (let round = 0; round < 20; round++) {
			const slot = world.addSlot(1);
			await holds(slot, 1);
			world.ahead += MINUTE;
			expect(tally(await claims(slot, 2))).toEqual({ ok: 1, 'time slot is full': 1 });
		}
	});

	test('B6: When a customer whose hold has ended books, moves or changes there again, then that is no duplicate', async () => {
		const slot = world.addSlot(50);
		const ada = { customer_email: 'ada@example.com' };
		await hold(slot, ada);
		expect(await outcome(book(slot, ada))).toBe('duplicate booking');
		world.ahead += MINUTE;
		const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcome(book(slot, ada))));
		expect(tally(outcomes)).toEqual({ ok: 1, 'duplicate booking': 19 });

		const bob = { customer_email: 'bob@example.com' };
		await hold(slot, bob);
		const moving = (await book(slot, { ...bob, date: NEXT_MONDAY })).data.id;
		world.ahead += MINUTE;
		expect(await change(moving, { date: MONDAY })).toBe('ok');

		const cy = 'cy@example.com';
		await hold(slot, { customer_email: cy });
		const renamed = (await book(slot)).data.id;
		const rename = () =>
			outcome(any().call('updateCustomer', { booking_id: renamed, body: { email: cy, name: 'Cy' } }));
		expect(await rename()).toBe('duplicate booking');
		world.ahead += MINUTE;
		expect(await rename()).toBe('ok');
	});

	test('B6: When the maximum was lowered, then holds that have ended make room only below it', async () => {
		const slot = world.addSlot(10);
		await holds(slot, 10);
		slot.max_bookings = 4;
		world.ahead += MINUTE;
		expect(tally(await claims(slot, 8))).toEqual({ ok: 4, 'time slot is full': 4 });
		slot.max_bookings = 0;
		expect(tally(await claims(slot, 3))).toEqual({ 'time slot is full': 3 });
		expect(await world.active(slot)).toBe(4);
	});

	test('B6: When a crowded occurrence is full of holds, then those that have ended make room, and only they', async () => {
		const slot = world.addSlot(600);
		await Promise.all(Array.from({ length: 300 }, () => book(slot)));
		await holds(slot, 300);
		expect(tally(await claims(slot, 50))).toEqual({ 'time slot is full': 50 });
		world.ahead += MINUTE;
		expect(tally(await claims(slot, 500))).toEqual({ ok: 300, 'time slot is full': 200 });
		expect(await world.active(slot)).toBe(600);
	});

	test('B6: When 1,000 want the places of holds that end meanwhile, while others confirm them, then exactly as many get one, and none that was confirmed is lost', async () => {
		const places = 100;
		const slot = world.addSlot(places);
		const ids = await holds(slot, places);
		const begin = Date.now() + world.ahead + (form === 'cluster' ? 5_000 : 1_500);
		// One ends after the other, while claims and confirmations come; each fifth is confirmed long before its end.
		const endOf = (index: number) => begin + 5 * index + (index % 5 === 0 ? MINUTE : 0);
		await Promise.all(
			ids.map((_id, index) => {
				const $set = { held_until: endOf(index), expires_at: new Date(endOf(index)).toISOString() };
				return world.bookings.updateOne({ _id, account_id: ACCOUNT }, { $set });
			}),
		);
		const clock = (moment: number) => until(() => Date.now() + world.ahead >= moment, { interval: 1 });
		const during = Array.from({ length: 500 }, async (_, index) => {
			await clock(begin - 50 + index);
			return outcome(book(slot));
		});
		const confirmed = ids.map(async (id, index) => {
			await clock(begin + 5 * index - 30 + 60 * Math.random());
			return change(id, { status: 'confirmed' });
		});
		const outcomes = await Promise.all(during);
		const answers = await Promise.all(confirmed);
		outcomes.push(...(await claims(slot, 500)));
		const kept = ids.filter((_, index) => answers[index] === 'ok');
		expect(new Set([...answers, 'hold expired'])).toEqual(new Set(['ok', 'hold expired']));
		expect(ids.filter((_, index) => index % 5 === 0 && answers[index] !== 'ok')).toEqual([]);
		expect(tally(outcomes)).toEqual({
			ok: places - kept.length,
			'time slot is full': 1_000 - places + kept.length,
		});
		expect(await world.active(slot)).toBe(places);
		const now = new Map((await stored(slot)).map((one) => [one._id, one]));
		for (const id of ids) {
			expect(now.get(id)).toMatchObject(
				kept.includes(id)
					? { status: 'confirmed', expires_at: null, version: 2 }
					: { status: 'cancelled', cancel_reason: 'expired', version: 2 },
			);
		}
	});

	test('B6: When the clock of one process is an hour ahead, then it takes no place that was confirmed', async () => {
		const places = 60;
		const slot = world.addSlot(places);
		const [right, other, ahead] = world.engines as [Engine, Engine, Engine];
		const ids = await Promise.all(Array.from({ length: places }, () => hold(slot, { hold_minutes: 5 }, right)));
		world.aheadOf[2] = HOUR;
		const confirmed = ids.map(async (id, index) => {
			await delay(index % 20);
			return change(id, { status: 'confirmed' }, index % 2 ? right : other);
		});
		const taking = Array.from({ length: 40 }, async (_, index) => {
			await delay(index % 20);
			return outcome(book(slot, {}, ahead));
		});
		const taken = (await Promise.all(taking)).filter((word) => word === 'ok').length;
		const answers = await Promise.all(confirmed);
		const kept = ids.filter((_, index) => answers[index] === 'ok');
		const states = new Map((await stored(slot)).map((one) => [one._id, one.status]));
		for (const id of kept) expect(states.get(id)).toBe('confirmed');
		const later = await Promise.all(Array.from({ length: 100 }, () => outcome(book(slot, {}, ahead))));
		expect(taken + kept.length + (tally(later).ok ?? 0)).toBe(places);
		expect(await world.active(slot)).toBe(places);
		for (const id of kept) expect(await change(id, { message: 'still here' }, ahead)).toBe('ok');
		world.aheadOf[2] = 0;
	});

	test('B6: When a process dies between the end of a hold and its own claim, then the place is free, and the end is told', async () => {
		const slot = world.addSlot(1);
		const id = await hold(slot);
		world.ahead += MINUTE;
		const { expireAll } = Holds.prototype;
		const dies = jest.spyOn(Holds.prototype, 'expireAll').mockImplementationOnce(async function (
			this: Holds,
			...given
		) {
			await expireAll.apply(this, given);
			throw new Error('the process dies');
		});
		const untold = jest.spyOn(Relay.prototype, 'send').mockImplementationOnce(() => {});
		expect(await outcome(book(slot))).toBe('internal error');
		dies.mockRestore();
		untold.mockRestore();
		expect(await world.active(slot)).toBe(0);
		expect(await claims(slot, 1)).toEqual(['ok']);
		const ended = () => world.events.filter(({ type, data }) => type === 'booking.cancelled' && data.id === id);
		await until(() => ended().length > 0, { what: 'the event' });
		expect(ended()).toHaveLength(1);
	});

	test('B6: When a change meets a hold that has ended, then it is judged as if the sweep had come', async () => {
		const slot = world.addSlot(20);
		const [confirmed, noted, stale, deleted, moved, back] = await holds(slot, 6);
		world.ahead += MINUTE;
		expect(await change(confirmed!, { status: 'confirmed' })).toBe('hold expired');
		expect(await change(noted!, { message: 'late' })).toBe('ok');
		expect(await change(stale!, { message: 'late', version: 1 })).toBe('version conflict');
		expect(await outcome(any().call('delete', { booking_id: deleted! }))).toBe('ok');
		expect(await change(moved!, { date: NEXT_MONDAY })).toBe('ok');
		expect(await change(back!, { status: 'pending' })).toBe('ok');
		expect(await world.active(slot)).toBe(1);
		const byId = new Map((await stored(slot)).map((one) => [one._id, one]));
		expect(byId.get(noted!)).toMatchObject({ status: 'cancelled', message: 'late', version: 3 });
		expect(byId.get(moved!)).toMatchObject({ status: 'cancelled', date: NEXT_MONDAY, version: 3 });
		expect(byId.get(back!)).toMatchObject({ status: 'pending', expires_at: null, version: 3 });
		expect(byId.get(deleted!)?.held_until ?? 0).toBe(0);
	});

	test('B6: When a service is closed, then none of its bookings is looked for as a hold any more', async () => {
		const slot = world.addSlot(3);
		await holds(slot, 3);
		await any().call('closeService', { service_id: slot.service_id, slots: [slot], timezone: 'UTC' });
		for (const one of await stored(slot)) expect(one.held_until ?? 0).toBe(0);
	});

	test('B6: When the audit finds a hold that nobody looks for, or one on a booking that is not held, then it mends it', async () => {
		const slot = world.addSlot(5);
		const [forgotten, marked, late] = (await holds(slot, 3)).sort((a, b) => a - b); // as findings come
		expect(await change(marked!, { status: 'confirmed' })).toBe('ok');
		const set = (_id: number, $set: object) => world.bookings.updateOne({ _id, account_id: ACCOUNT }, { $set });
		await set(forgotten!, { held_until: 0 });
		await set(marked!, { held_until: 5 });
		const longAgo = new Date(Date.now() + world.ahead - HOUR);
		await set(late!, { held_until: longAgo.getTime(), expires_at: longAgo.toISOString() });
		const audit = async (repair: boolean) => {
			const findings: Finding[] = [];
			let after: AuditCursor | null = { booking: 0 };
			while (after !== null) {
				const params: AuditParams = { service_id: slot.service_id, repair, after };
				const page: AuditPage = await world.engines[0]!.call('audit', params);
				findings.push(...page.findings);
				after = page.next;
			}
			return findings.map(({ kind, booking_ids, repaired }) => [kind, booking_ids[0], repaired !== null]);
		};
		expect(await audit(true)).toEqual([
			['wrong_hold', forgotten, true],
			['wrong_hold', marked, true],
			['hold_late', late, false],
		]);
		expect(await audit(false)).toEqual([['hold_late', late, false]]);
		const byId = new Map((await stored(slot)).map((one) => [one._id, one]));
		expect(byId.get(forgotten!)).toMatchObject({ held_until: Date.parse(byId.get(forgotten!)!.expires_at!) });
		expect(byId.get(marked!)).toMatchObject({ held_until: 0, status: 'confirmed' });
	});
});

onBothStores('The sweep of the holds', (form) => {
	let world: World;
	beforeAll(async () => {
		world = await World.start(form, 3);
	});
	afterAll(() => world.stop());

	test('B6: When the process that sweeps dies in the middle, then another one ends the rest', async () => {
		const slot = world.addSlot(40);
		const make = () =>
			world.engines[0]!.call('create', { body: { date: MONDAY, time_slot_id: slot.id, hold_minutes: 1 } });
		await Promise.all(Array.from({ length: 40 }, make));
		let left = 10;
		const { expire } = Holds.prototype;
		const dies = jest.spyOn(Holds.prototype, 'expire').mockImplementation(async function (this: Holds, ...given) {
			if (left-- <= 0 && left > -60) throw new Error('the process dies');
			return expire.apply(this, given);
		});
		world.ahead += MINUTE;
		await until(async () => (await world.active(slot)) === 0, { what: 'the sweep' });
		expect(left).toBeLessThanOrEqual(-60);
		dies.mockRestore();
	});

	test('B6: When holds end, then three processes cancel each once, with one event, and leave the others', async () => {
		const [engine] = world.engines as [Engine];
		const slot = world.addSlot(300);
		const make = async (hold_minutes: number) =>
			(await engine.call('create', { body: { date: MONDAY, time_slot_id: slot.id, hold_minutes } })).data.id;
		const ids = await Promise.all(Array.from({ length: 250 }, () => make(1)));
		const others = await Promise.all(Array.from({ length: 50 }, () => make(2)));
		world.ahead += MINUTE;
		await until(async () => (await world.active(slot)) === 50, { what: 'the sweep' });
		const isEnd = ({ type, data }: NewEvent) => type === 'booking.cancelled' && data.time_slot_id === slot.id;
		const ended = () => world.events.filter(isEnd).map(({ data }) => data.id);
		await until(() => ended().length >= 250, { what: 'the events' });
		expect(ended().sort((a, b) => a - b)).toEqual(ids.sort((a, b) => a - b));
		const left = await world.bookings
			.find({ account_id: ACCOUNT, time_slot_id: slot.id, status: 'pending' })
			.lean<BookingDocument[]>();
		expect(left.map(({ _id }) => _id).sort((a, b) => a - b)).toEqual(others.sort((a, b) => a - b));
	});
});
