import { expect, test } from '@jest/globals';
import type { ServiceBroker } from 'moleculer';
import { pino } from 'pino';
import type { BookingDocument } from '../../services/booking/document/booking.model.ts';
import type { BookingStore } from '../../services/booking/document/booking-store.ts';
import { Relay } from '../../services/booking/outbox/relay.ts';
import type { NewEvent } from '../../shared/contract/actions.ts';

/** What a relay sends to the event log when so many bookings are made before it has a turn. */
async function sentOf(count: number): Promise<{ messages: number; events: number }> {
	const sent = { messages: 0, events: 0 };
	const call = async (action: string, params: { events: NewEvent[] }) => {
		if (action !== 'notifications.append') return 'ok';
		sent.messages++;
		sent.events += params.events.length;
		return 'ok';
	};
	const store = { all: { clearOutboxes: async () => {} } } as unknown as BookingStore;
	const relay = new Relay(store, { call } as unknown as ServiceBroker, pino({ level: 'silent' }));
	for (let id = 1; id <= count; id++) relay.send(bookingOf(id));
	await relay.stop();
	return sent;
}

function bookingOf(_id: number): BookingDocument {
	const data = { id: _id };
	const outbox = [{ id: `evt_${_id}_1`, type: 'booking.created', timestamp: '2026-11-21T09:30:00.000Z', data }];
	return { _id, account_id: 'acc_1', version: 1, deleted_at: null, customer: {}, outbox } as unknown as BookingDocument;
}

test('When bookings are made at once, then their events leave together, up to 100 in a message', async () => {
	expect(await sentOf(250)).toEqual({ messages: 3, events: 250 });
});

test('When more are made than it can send, then 5,000 wait in memory; the outboxes have the others, for the sweep', async () => {
	expect((await sentOf(7_000)).events).toBe(5_000);
});
