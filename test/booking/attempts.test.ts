import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { BookingStore } from '../../services/booking/document/booking-store.ts';
import { QuotaRefunds } from '../../services/booking/quota/quota-refunds.ts';
import { UnsettledBookings } from '../../services/booking/quota/unsettled-bookings.ts';
import { NewBooking } from '../../services/booking/seats/new-booking.ts';
import { SeatQueue, type SeatQueueDependencies } from '../../services/booking/seats/seat-queue.ts';
import { systemClock } from '../../shared/engine/clock.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { ACCOUNT, MONDAY, noLock, onBothStores, outcome, tally, World } from './engines.ts';

const PROCESSES = 4;
const CLIENTS = 400;
const SEATS = 100;

/** A process' queue of claims, which counts the attempts that each of its batches takes. */
function contender(world: World, attempts: number[]): (time_slot_id: number) => Promise<unknown> {
	const { connection } = world.store;
	const store = new BookingStore(connection, systemClock);
	const lock = {
		...noLock,
		acquire: async () => {
			attempts.push(0); // a batch begins
			return undefined;
		},
	};
	const dependencies: SeatQueueDependencies = {
		slot: async ({ time_slot_id }) => world.slotNow(time_slot_id),
		occupants: (key) => {
			attempts[attempts.length - 1]!++;
			return store.occupants(key);
		},
		crowds: store.crowds,
		now: Date.now,
		expire: async () => {},
		reserve: async (_, count) => ({ granted: count, month: '2026-11' }),
		refund: () => {},
	};
	const seats = new SeatQueue(lock, dependencies);
	const returns = new QuotaRefunds(async () => {}, pino({ level: 'silent' }));
	const unsettled = new UnsettledBookings(store, returns);
	return (time_slot_id) => {
		const params = { account_id: ACCOUNT, body: { date: MONDAY, time_slot_id } };
		return seats.claim(new NewBooking({ store, unsettled }, params, new Deadline(60_000)));
	};
}

onBothStores('contenders without the lock', (form) => {
	let world: World;
	beforeAll(async () => {
		world = await World.start(form, 1);
	});
	afterAll(() => world.stop());

	test('L8: When 4 processes book 100 seats for 400 clients, then a batch takes at most 5 attempts (p99)', async () => {
		const attempts = Array.from({ length: PROCESSES }, (): number[] => []);
		const contenders = attempts.map((counts) => contender(world, counts));
		const slot = world.addSlot(SEATS);
		const claims = Array.from({ length: CLIENTS }, (_, n) => outcome(contenders[n % PROCESSES]!(slot.id)));
		expect(tally(await Promise.all(claims))).toEqual({ ok: SEATS, 'time slot is full': CLIENTS - SEATS });
		const sorted = attempts.flat().sort((a, b) => a - b);
		expect(sorted[Math.ceil(0.99 * sorted.length) - 1]).toBeLessThanOrEqual(5);
	});

	test('L6: When 1,000 requests of one slot and date come at once, then they are answered in order, in few batches', async () => {
		const attempts: number[] = [];
		const claim = contender(world, attempts);
		const slot = world.addSlot(600);
		const answered: number[] = [];
		await Promise.all(Array.from({ length: 1_000 }, (_, n) => outcome(claim(slot.id)).then(() => answered.push(n))));
		expect(answered).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
		expect(attempts.length).toBeLessThanOrEqual(6);
		expect(await world.active(slot)).toBe(600);
	});
});
