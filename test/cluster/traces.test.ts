import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { bookingBody, newCustomer, slotOn } from '../support/scheduling.ts';
import { bookTraced } from '../tracing/booking-story.ts';
import {
	deliveryOf,
	named,
	newTrace,
	startTraced,
	subscribe,
	type TracedProduct,
	traceWith,
	wayUp,
} from '../tracing/traced-product.ts';

describe('Traces, six processes', () => {
	let traced: TracedProduct;

	beforeAll(async () => {
		traced = await startTraced({ form: 'cluster' });
	});
	afterAll(() => traced?.stop());

	test('When a client books, then one trace goes from the gateway through every service to the delivery', async () => {
		const { spans, root } = await bookTraced(traced, ['slotwise-booking lock hold']); // ends behind the answer
		const services = ['gateway', 'accounts', 'catalog', 'booking', 'customer', 'notifications'];
		expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(services.map((name) => `slotwise-${name}`)));
		for (const span of spans) wayUp(spans, span, root); // none is lost in the middle

		const called = ['booking.create', 'booking.create', 'POST /v1/bookings'];
		const way = (name: string, service: string) => wayUp(spans, named(spans, name, `slotwise-${service}`), root);
		expect(way('POST /v1/bookings', 'gateway')).toEqual(['POST /v1/bookings']);
		expect(way('insertMany bookings', 'booking').slice(1)).toEqual(called);
		expect(way('lock wait', 'booking').slice(1)).toEqual(called);
		expect(way('lock hold', 'booking').slice(1)).toEqual(called);
		expect(way('find time_slots', 'catalog').slice(1)).toEqual(['catalog.slots', 'catalog.slots', ...called]);
		const appended = ['notifications.append', 'notifications.append', ...called];
		expect(way('insertMany events', 'notifications').slice(1)).toEqual(appended);
		expect(way('lock wait', 'notifications').slice(1)).toEqual(appended);
		expect(way('POST webhook', 'notifications').slice(1)).toEqual(called);

		const asks = named(spans, 'booking.create', 'slotwise-gateway');
		const answers = named(spans, 'booking.create', 'slotwise-booking');
		expect([asks.kind, answers.kind, answers.parentSpanId]).toEqual(['client', 'server', asks.spanId]);
		expect(answers.attributes).toEqual({ 'rpc.system.name': 'moleculer', 'rpc.method': 'booking.create' });
		expect(named(spans, 'insertMany bookings')).toMatchObject({
			kind: 'client',
			attributes: { 'db.system.name': 'mongodb', 'server.address': '127.0.0.1' },
		});
	});

	test('When notifications is dead while a client books, then the later delivery is in the same trace', async () => {
		const { client, product } = traced;
		await subscribe(traced, '/late');
		const place = await slotOn(client);
		const [notifications] = product.of('notifications');
		notifications!.kill('SIGKILL');
		await notifications!.exited;
		const { traceId, headers } = newTrace();
		const body = bookingBody(place, newCustomer());
		const { id } = (await client.post<Booking>('/v1/bookings', body, { headers })).mustBe(201);
		await notifications!.restart();
		await notifications!.ready();
		await deliveryOf(traced, '/late', `evt_${id}_1`);
		const spans = await traceWith(traced, traceId, ['POST webhook', 'POST /v1/bookings']);
		expect(named(spans, 'POST webhook').attributes['slotwise.event_id']).toBe(`evt_${id}_1`);
	});
});
