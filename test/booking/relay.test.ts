import { expect, jest, test } from '@jest/globals';
import type { ServiceBroker } from 'moleculer';
import { pino } from 'pino';
import type { BookingDocument } from '../../services/booking/document/booking.model.ts';
import type { BookingStore } from '../../services/booking/document/booking-store.ts';
import { Relay } from '../../services/booking/outbox/relay.ts';
import type { NewEvent } from '../../shared/contract/actions.ts';
import { systemClock } from '../../shared/engine/clock.ts';

const NOBODY = { email: null, phone: null };

/** What a relay sends to the event log when so many bookings are made before it has a turn. */
async function sentOf(count: number): Promise<{ messages: number; events: number }> {
	const sent = { messages: 0, events: 0 };
	const call = async (action: string, params: { events: NewEvent[] }) => {
		if (action !== 'notifications.append') return 'ok';
		sent.messages++;
		sent.events += params.events.length;
		return 'ok';
	};
	const relay = relayTo(call);
	for (let id = 1; id <= count; id++) relay.send(bookingOf(id));
	await relay.stop();
	return sent;
}

function relayTo(call: unknown): Relay {
	const untold = { find: async () => [], told: () => {} };
	const store = { all: { clearOutboxes: async () => {} }, untold, clock: systemClock } as unknown as BookingStore;
	return new Relay(store, { call } as unknown as ServiceBroker, pino({ level: 'silent' }));
}

function bookingOf(_id: number): BookingDocument {
	const data = { id: _id };
	const outbox = [{ id: `evt_${_id}_1`, type: 'booking.created', timestamp: '2026-11-21T09:30:00.000Z', data }];
	return {
		_id,
		account_id: 'acc_1',
		version: 1,
		deleted_at: null,
		customer: NOBODY,
		outbox,
	} as unknown as BookingDocument;
}

test('When bookings are made at once, then their events leave together, up to 100 in a message', async () => {
	expect(await sentOf(250)).toEqual({ messages: 3, events: 250 });
});

test('When more are made than it can send, then 5,000 wait in memory; the outboxes have the others, for the sweep', async () => {
	expect((await sentOf(7_000)).events).toBe(5_000);
});

/** What leaves in one message where bookings change one after the other, each as long as its earlier events wait. */
async function orderOf(changes: [booking: number, version: number, second: number][]): Promise<string[]> {
	const told: string[] = [];
	const call = async (_: string, { events = [] }: { events?: NewEvent[] }) =>
		void told.push(...events.map(({ id }) => id));
	const relay = relayTo(call);
	const outboxes = new Map<number, unknown[]>();
	for (const [_id, version, second] of changes) {
		const timestamp = `2026-11-21T09:30:0${second}.000Z`;
		const entry = { id: `evt_${_id}_${version}`, type: 'booking.updated', timestamp, data: { id: _id } };
		const outbox = [...(outboxes.get(_id) ?? []), entry];
		outboxes.set(_id, outbox);
		relay.send({ ...bookingOf(_id), version, outbox } as BookingDocument);
	}
	await relay.stop();
	return told;
}

test('When a booking takes what another one gave up before it was told of, then the events leave in the order of the changes', async () => {
	expect(
		await orderOf([
			[1, 1, 1],
			[2, 2, 2],
			[1, 2, 3],
			[3, 1, 3],
		]),
	).toEqual(['evt_1_1', 'evt_2_2', 'evt_1_2', 'evt_3_1']);
});

test('X4: When a booking was changed by a process whose clock is behind, then its events leave in their order', async () => {
	expect(
		await orderOf([
			[1, 6, 5],
			[1, 7, 2],
			[2, 1, 4],
		]),
	).toEqual(['evt_2_1', 'evt_1_6', 'evt_1_7']);
});

/** A booking of another process, with the events that wait and the keys that each took and gave up. */
function waiting(_id: number, ...events: { took?: string[]; gave_up?: string[]; turn?: number }[]): BookingDocument {
	const outbox = events.map((keys, index) => {
		const [version, timestamp] = [index + 1, '2026-11-21T09:30:00.000Z'];
		return { id: `evt_${_id}_${version}`, type: 'booking.updated', timestamp, data: { id: _id, version }, ...keys };
	});
	return { ...bookingOf(_id), version: events.length, outbox } as unknown as BookingDocument;
}

test('When others have not told yet who gave up what a booking takes, nor what those took, then that is told first, and left to them', async () => {
	const others = [
		waiting(1, { gave_up: ['one'], turn: 1 }),
		waiting(2, { took: ['one'] }, { took: ['two'], gave_up: ['one'], turn: 2 }),
		waiting(3, { gave_up: ['two'], turn: 1 }),
		waiting(4, { gave_up: ['three'] }),
	];
	const gaveUp = ({ outbox }: BookingDocument, keys: string[]) =>
		outbox.some(({ gave_up = [] }) => gave_up.some((key) => keys.includes(key)));
	const cleared: number[] = [];
	const all = { clearOutboxes: async (told: BookingDocument[]) => void cleared.push(...told.map(({ _id }) => _id)) };
	const untold = {
		find: async (keys: string[]) => others.filter((other) => gaveUp(other, keys)),
		told: () => {},
	};
	const events: NewEvent[] = [];
	const call = async (_: string, params: { events?: NewEvent[] }) => void events.push(...(params.events ?? []));
	const broker = { call, transit: {} } as unknown as ServiceBroker;
	const relay = new Relay(
		{ all, untold, clock: systemClock } as unknown as BookingStore,
		broker,
		pino({ level: 'silent' }),
	);
	relay.send(waiting(9, { took: ['one'] }));
	await relay.stop();
	const ids = events.map(({ id }) => id);
	expect(ids.toSorted()).toEqual(['evt_1_1', 'evt_2_1', 'evt_2_2', 'evt_3_1', 'evt_9_1']);
	for (const [first, second] of [
		['evt_1_1', 'evt_2_1'],
		['evt_3_1', 'evt_2_2'],
		['evt_2_2', 'evt_9_1'],
	] as const) {
		expect(ids.indexOf(first)).toBeLessThan(ids.indexOf(second));
	}
	expect(Object.keys(events[0]!)).toEqual(expect.not.arrayContaining(['took', 'gave_up']));
	expect(cleared).toEqual([9]);
});

test('When the log is away, then nothing is read for what cannot be told, until it is there again', async () => {
	let isAway = true;
	const events: NewEvent[] = [];
	const call = async (_: string, params: { events?: NewEvent[] }) => {
		if (isAway) throw new Error('away');
		events.push(...(params.events ?? []));
	};
	const find = jest.fn(async () => []);
	const all = { clearOutboxes: async () => {} };
	const store = { all, untold: { find, told: () => {} }, clock: systemClock } as unknown as BookingStore;
	const relay = new Relay(store, { call } as unknown as ServiceBroker, pino({ level: 'silent' }));
	const booking = waiting(1, { took: ['one'] });
	await expect(relay.deliver([booking])).rejects.toThrow('away');
	await expect(relay.deliver([booking])).rejects.toThrow('away');
	expect(find).toHaveBeenCalledTimes(1);
	isAway = false;
	await relay.deliver([booking]);
	expect(events.map(({ id }) => id)).toEqual(['evt_1_1']);
});
