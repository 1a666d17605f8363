import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ServiceBroker } from 'moleculer';
import { pino } from 'pino';
import type { BookingDocument } from '../../services/booking/document/booking.model.ts';
import { BookingStore } from '../../services/booking/document/booking-store.ts';
import { Relay } from '../../services/booking/outbox/relay.ts';
import { systemClock } from '../../shared/engine/clock.ts';
import { until } from '../support/until.ts';
import { ACCOUNT, MONDAY, onBothStores, World } from './engines.ts';

const HOUR = 3_600_000; // ms

/** Its event log takes everything. */
const broker = { call: async () => 'ok' } as unknown as ServiceBroker;

onBothStores('A booking that changes all the time', (form) => {
	let world: World;
	beforeAll(async () => {
		world = await World.start(form, 1);
	});
	afterAll(() => world.stop());

	test('X4: When a booking changed while its events were told, then only what is left in its outbox is said to wait', async () => {
		const engine = world.engines[0]!;
		const relay = new Relay(new BookingStore(world.store.connection, systemClock), broker, pino({ level: 'silent' }));
		const slot = world.addSlot(1);
		world.logIsDown = true;
		const { data } = await engine.call('create', { body: { time_slot_id: slot.id, date: MONDAY } });
		const change = async (message: string) => {
			await engine.call('update', { booking_id: data.id, body: { message } });
			return (await world.bookings.findOne({ _id: data.id, account_id: ACCOUNT }).lean<BookingDocument>())!;
		};
		await delay(1_500);
		const told = await change('told');
		await change('not yet');
		await relay.deliver([told], new Map());
		const left = (await world.bookings.findOne({ _id: data.id, account_id: ACCOUNT }).lean<BookingDocument>())!;
		expect(left.outbox.map(({ data }) => data?.message)).toEqual(['not yet']);
		expect(left.relay_at).toBe(Date.parse(told.updated_at));
		world.logIsDown = false;
	});

	test('When a booking changes while its events wait, then they are said to wait since the first of them', async () => {
		const engine = world.engines[0]!;
		const report = () => engine.call('outbox', {});
		await until(async () => (await report()).waiting === 0, { what: 'the outboxes to empty' });
		world.logIsDown = true;
		const { data } = await engine.call('create', { body: { time_slot_id: world.addSlot(1).id, date: MONDAY } });
		world.ahead = HOUR;
		await engine.call('update', { booking_id: data.id, body: { message: 'an hour later' } });
		const { waiting, oldest } = await report();
		world.ahead = 0;
		world.logIsDown = false;
		expect(waiting).toBe(1);
		expect(oldest).toBeGreaterThanOrEqual(HOUR);
	});
});
