import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { SlotSource } from '../../services/booking/catalog-source.ts';
import { ChangeQueue } from '../../services/booking/changes/change-queue.ts';
import type { BookingDocument } from '../../services/booking/document/booking.model.ts';
import type { BookingStore } from '../../services/booking/document/booking-store.ts';
import type { Crowds } from '../../services/booking/document/crowds.ts';
import type { Holds } from '../../services/booking/holds/holds.ts';
import type { Relay } from '../../services/booking/outbox/relay.ts';
import { type Claim, SeatQueue } from '../../services/booking/seats/seat-queue.ts';
import type { SlotNow } from '../../shared/contract/actions.ts';
import { NO_RULES } from '../../shared/contract/schemas/rules.ts';
import type { TimeSlot } from '../../shared/contract/schemas/time-slot.ts';
import { systemClock } from '../../shared/engine/clock.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { ACCOUNT, MONDAY, noLock, onBothStores, outcome, World } from './engines.ts';

const STRANGER = 'acc_stranger';
const SLOT: SlotNow = {
	slot: { id: 7, max_bookings: 3 } as TimeSlot,
	timezone: 'UTC',
	rules: NO_RULES,
	override: null,
	overrides_changed_at: null,
};

/** What is asked for the stranger is never answered. */
const forOwner = <T>(account_id: string, answer: T): Promise<T> =>
	account_id === STRANGER ? new Promise<never>(() => {}) : Promise.resolve(answer);

const queueOfSlots = () =>
	new SeatQueue(noLock, {
		slot: ({ account_id }) => forOwner(account_id, SLOT),
		occupants: async () => [],
		crowds: {} as Crowds, // of which none is here
		now: Date.now,
		expire: async () => {},
		reserve: async (_, count) => ({ granted: count, month: '2026-11' }),
		refund: () => {},
	});

function claimOf(account_id: string): Claim {
	return {
		account_id,
		time_slot_id: SLOT.slot.id,
		date: MONDAY,
		movedId: undefined,
		customerKey: null,
		deadline: new Deadline(60_000),
		quota: null,
		assertSlot: () => {},
		prepare: async () => {},
		write: async () => 'written',
	};
}

test('X1: When another account’s claim on the same slot and date gets no answer, then one’s own is served', async () => {
	const seats = queueOfSlots();
	void seats.claim(claimOf(STRANGER));
	await turn();
	expect(await outcome(seats.claim(claimOf(ACCOUNT)))).toBe('ok');
});

test('X1: When another account’s change of the same booking gets no answer, then one’s own is made', async () => {
	const booking = { _id: 1, account_id: ACCOUNT, version: 1, relay_at: 0, promised: {} } as BookingDocument;
	const store = { clock: systemClock, find: (account_id: string) => forOwner(account_id, booking) };
	const slots = { ask: async () => SLOT } as unknown as SlotSource;
	const changes = new ChangeQueue(store as unknown as BookingStore, slots, queueOfSlots(), {} as Relay, {} as Holds);
	const change = (account_id: string) =>
		changes.change({ account_id, booking_id: booking._id }, new Deadline(60_000), () => null);
	void change(STRANGER);
	await turn();
	expect(await change(ACCOUNT)).toEqual(booking);
});

onBothStores('X1: accounts that share a read', (form) => {
	test('X1: When others ask for a booking in the same moment as its owner, then only the owner gets it', async () => {
		const world = await World.start(form, 1);
		const { call } = world.engines[0]!;
		const made = await call('create', { body: { date: MONDAY, time_slot_id: world.addSlot(1).id } });
		const booking_id = made.data.id;
		const get = (account_id: string) => outcome(call('get', { account_id, booking_id }));
		const unknown = await outcome(call('get', { account_id: STRANGER, booking_id: booking_id + 1 }));
		const answers = await Promise.all([STRANGER, ACCOUNT, STRANGER].map(get));
		expect(answers).toEqual([unknown, 'ok', unknown]);
		await world.stop();
	});
});
