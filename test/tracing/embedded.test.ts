import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { DeliveryList } from '../../shared/contract/schemas/delivery.ts';
import { book, bookingBody, newCustomer, slotOn } from '../support/scheduling.ts';
import { until } from '../support/until.ts';
import { bookTraced } from './booking-story.ts';
import {
	deliveryOf,
	named,
	newTrace,
	startTraced,
	subscribe,
	type TracedProduct,
	traceWith,
	wayUp,
} from './traced-product.ts';

describe('Traces, embedded', () => {
	let traced: TracedProduct;

	beforeAll(async () => {
		traced = await startTraced({ form: 'embedded' });
	});
	afterAll(() => traced?.stop());

	test('When a client books, then one trace has the request, the lock, the store, the event log and the delivery', async () => {
		const { spans, root } = await bookTraced(traced);
		const way = (name: string) => wayUp(spans, named(spans, name), root);
		expect(way('POST /v1/bookings')).toEqual(['POST /v1/bookings']);
		for (const name of ['lock wait', 'lock hold', 'find bookings', 'insertMany bookings', 'notifications.append']) {
			expect(way(name)).toEqual([name, 'booking.create', 'POST /v1/bookings']);
		}
		expect(way('find time_slots').slice(1)).toEqual(['catalog.slots', 'booking.create', 'POST /v1/bookings']);
		expect(way('insertMany events').slice(1)).toEqual(['notifications.append', 'booking.create', 'POST /v1/bookings']);
		expect(way('POST webhook')).toEqual(['POST webhook', 'booking.create', 'POST /v1/bookings']);
		for (const span of spans) wayUp(spans, span, root); // none is lost in the middle

		expect(named(spans, 'POST /v1/bookings')).toMatchObject({
			kind: 'server',
			service: 'slotwise',
			attributes: { 'http.request.method': 'POST', 'http.route': '/v1/bookings', 'http.response.status_code': 201 },
		});
		expect(named(spans, 'insertMany bookings').attributes).toEqual({
			'db.system.name': 'sqlite',
			'db.operation.name': 'insertMany',
			'db.collection.name': 'bookings',
		});
		expect(named(spans, 'POST webhook')).toMatchObject({
			kind: 'client',
			isError: false,
			attributes: { 'http.response.status_code': 204, 'http.request.resend_count': 0 },
		});
		expect(spans.filter(({ isError }) => isError)).toEqual([]);
	});

	test('When a booking is changed, deleted, or gone with its service, then each delivery is in the trace of its cause', async () => {
		const { client } = traced;
		await subscribe(traced, '/changes');
		const place = await slotOn(client, { max_bookings: 3 });
		const [one, other] = [await book(client, place, newCustomer()), await book(client, place, newCustomer())];
		const causes = [
			{
				event: `evt_${one.id}_2`,
				run: (o: object) => client.patch(`/v1/bookings/${one.id}`, { status: 'confirmed' }, o),
			},
			{ event: `evt_${one.id}_3`, run: (o: object) => client.delete(`/v1/bookings/${one.id}`, o) },
			{ event: `evt_${other.id}_2`, run: (o: object) => client.delete(`/v1/services/${place.service.id}`, o) },
		];
		for (const { event, run } of causes) {
			const { traceId, headers } = newTrace();
			(await run({ headers })).mustBe(200);
			await deliveryOf(traced, '/changes', event);
			const spans = await traceWith(traced, traceId, ['POST webhook']);
			expect(named(spans, 'POST webhook').attributes['slotwise.event_id']).toBe(event);
		}
	});

	test('When requests share a batch, then each trace has the write or links to it, and each delivery is in its own', async () => {
		const { client } = traced;
		await subscribe(traced, '/batch');
		const place = await slotOn(client, { max_bookings: 40 });
		const requests = Array.from({ length: 30 }, () => newTrace());
		const bookings = await Promise.all(
			requests.map(async ({ headers }) => {
				const body = bookingBody(place, newCustomer());
				return (await client.post<Booking>('/v1/bookings', body, { headers })).mustBe(201);
			}),
		);
		let linked = 0;
		for (const [index, { traceId }] of requests.entries()) {
			const spans = await traceWith(traced, traceId, ['POST webhook']);
			expect(named(spans, 'POST webhook').attributes['slotwise.event_id']).toBe(`evt_${bookings[index]!.id}_1`);
			if (spans.some(({ name }) => name === 'insertMany bookings')) continue;
			const { links } = named(spans, 'booking.create');
			const shared = traced.collector.spans.filter(({ spanId }) => links.includes(spanId));
			expect(shared.map(({ name }) => name)).toContain('batch');
			for (const batch of shared) expect(batch.traceId).not.toBe(traceId);
			const batches = shared.map(({ spanId }) => spanId);
			const within = traced.collector.spans.filter(({ parentSpanId }) => batches.includes(parentSpanId));
			expect(within.map(({ name }) => name)).toContain('insertMany bookings');
			linked++;
		}
		expect(linked).toBeGreaterThan(0);
	});

	test('When a booking is refused, then its span says why and is no error', async () => {
		const { client } = traced;
		const place = await slotOn(client, { max_bookings: 1 });
		await book(client, place);
		const { traceId, headers } = newTrace();
		(await client.post('/v1/bookings', bookingBody(place), { headers })).mustBe(400);
		const spans = await traceWith(traced, traceId, ['POST /v1/bookings']);
		const create = named(spans, 'booking.create');
		expect([create.isError, create.attributes['slotwise.refusal']]).toEqual([false, 'time_slot_full']);
		expect(named(spans, 'POST /v1/bookings').isError).toBe(false);
	});

	test('When a webhook answers 500, then the span of the attempt is an error, and the request is none', async () => {
		traced.receiver.reply = ({ path }) => ({ status: path === '/broken' ? 500 : 204 });
		await subscribe(traced, '/broken');
		const { traceId, headers } = newTrace();
		const body = bookingBody(await slotOn(traced.client));
		(await traced.client.post('/v1/bookings', body, { headers })).mustBe(201);
		const attempts = await until(() => {
			const found = traced.collector.of(traceId).filter(({ name }) => name === 'POST webhook');
			return found.some(({ isError }) => isError) && found;
		});
		expect(attempts.filter(({ isError }) => isError).map(({ attributes }) => attributes['error.type'])).toEqual([
			'500',
		]);
		expect(named(traced.collector.of(traceId), 'POST /v1/bookings').isError).toBe(false);
	});

	test('When a request wakes the queue of a webhook, then what the queue does is no part of the request', async () => {
		const { client, collector } = traced;
		const { id } = await subscribe(traced, '/woken');
		const [waking, later] = [newTrace(), newTrace()];
		(await client.post(`/v1/webhooks/${id}/test`, undefined, { headers: waking.headers })).mustBe(202);
		const list = `/v1/webhooks/${id}/deliveries?status=delivered`;
		await until(async () => (await client.get<DeliveryList>(list)).mustBe(200).deliveries.length > 0);
		(await client.get(list, { headers: later.headers })).mustBe(200);
		await traceWith(traced, later.traceId, ['GET /v1/webhooks/{webhookID}/deliveries']); // all before it has come, too
		const names = collector.of(waking.traceId).map(({ name }) => name);
		expect(names).toContain('insertMany deliveries');
		expect(names.filter((name) => /^(find webhooks|(find|updateOne) deliveries)$/.test(name))).toEqual([]);
	});

	test('When nothing is asked, then the work in the background makes no trace', async () => {
		const roots = traced.collector.spans.filter(({ parentSpanId }) => parentSpanId === '');
		expect(roots.length).toBeGreaterThan(0);
		expect(roots.filter(({ kind }) => kind !== 'server')).toEqual([]);
		expect(traced.collector.paths.every((path) => path === '/v1/traces')).toBe(true);
	});
});
