import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { eventsUpTo } from '../support/feed.ts';
import { bookingBody, getBooking, newCustomer, slotOn } from '../support/scheduling.ts';
import type { CollectedSpan } from '../support/trace-collector.ts';
import { until } from '../support/until.ts';
import { deliveryOf, newTrace, subscribe, type TracedProduct, traceWith } from './traced-product.ts';

/** The last spans of each process */
const WHOLE = [
	...['POST /v1/bookings', 'find time_slots', 'updateOne usage', 'insertMany bookings', 'updateMany bookings'],
	...['lock hold', 'insertMany events', 'insertMany customers', 'POST webhook'],
];

/**
 * Books with a webhook waiting for it; asserts what is true in both forms.
 * @param also spans that the trace has in this form: see `traceWith`
 * @returns the trace, and its client's span
 */
export async function bookTraced(
	traced: TracedProduct,
	also: string[] = [],
): Promise<{ spans: CollectedSpan[]; root: string }> {
	const { client, product } = traced;
	const trace = newTrace();
	const path = `/hook-${trace.traceId}`;
	const webhook = await subscribe(traced, path);
	const body = bookingBody(await slotOn(client, { max_bookings: 3 }), newCustomer());
	const { id } = (await client.post<Booking>('/v1/bookings', body, { headers: trace.headers })).mustBe(201);
	const delivery = await deliveryOf(traced, path, `evt_${id}_1`);
	const spans = await traceWith(traced, trace.traceId, [...WHOLE, ...also]);

	expect(delivery.headers).not.toHaveProperty('traceparent');
	expect(Object.keys(JSON.parse(delivery.body))).toEqual(['type', 'timestamp', 'sequence', 'data', 'previous']);
	const shown = [
		await getBooking(client, id),
		await eventsUpTo(client, 1),
		(await client.get(`/v1/webhooks/${webhook.id}/deliveries`)).mustBe(200),
	];
	expect(JSON.stringify(shown)).not.toMatch(/traceparent|trace_id/);
	expect(JSON.stringify(shown)).not.toContain(trace.traceId);
	await expectLogged(product.of('gateway')[0]!.logFile, trace.traceId);
	return { spans, root: trace.spanId };
}

/** The line of the request tells its trace. */
async function expectLogged(file: string, traceId: string): Promise<void> {
	const line = () =>
		readFileSync(file, 'utf8')
			.split('\n')
			.find((one) => one.includes(traceId));
	const entry = JSON.parse(await until(line, { what: 'the line of the request' }));
	expect(entry).toMatchObject({ msg: 'request', operation: 'createBooking', trace_id: traceId });
}
