import { expect } from '@jest/globals';
import type { WebhookWithSecret } from '../../shared/contract/schemas/webhook.ts';
import { Client } from '../support/http-client.ts';
import { type Product, type ProductOptions, startProduct } from '../support/product.ts';
import { type CollectedSpan, TraceCollector } from '../support/trace-collector.ts';
import { until } from '../support/until.ts';
import { type Received, WebhookReceiver } from '../support/webhook-receiver.ts';

/** The product with its traces on, their collector, and a customer's server. */
export interface TracedProduct {
	product: Product;
	collector: TraceCollector;
	receiver: WebhookReceiver;
	client: Client;
	stop(): Promise<void>;
}

export async function startTraced(options: ProductOptions): Promise<TracedProduct> {
	const [collector, receiver] = await Promise.all([TraceCollector.start(), WebhookReceiver.start()]);
	const end = () => Promise.all([collector.stop(), receiver.stop()]);
	try {
		const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...options.env };
		const product = await startProduct({ keys: { Unlimited: 4 }, ...options, env });
		const client = new Client(() => product.urls(), product.keys.Unlimited[0]!);
		const stop = async () => {
			await product.stop();
			await end();
		};
		return { product, collector, receiver, client, stop };
	} catch (error) {
		await end();
		throw error;
	}
}

/** A webhook for everything. */
export async function subscribe({ client, receiver }: TracedProduct, path: string): Promise<WebhookWithSecret> {
	return (await client.post<WebhookWithSecret>('/v1/webhooks', { url: receiver.url(path) })).mustBe(201);
}

/** The delivery of an event. */
export async function deliveryOf({ receiver }: TracedProduct, path: string, eventId: string): Promise<Received> {
	const isIt = ({ headers }: Received) => headers['webhook-id'] === eventId;
	return until(() => receiver.of(path).find(isIt), { what: `${eventId} at ${path}` });
}

let traces = 0;

/** What a client that traces its own requests sends with one. */
export function newTrace(): { traceId: string; spanId: string; headers: { traceparent: string } } {
	const traceId = `${Date.now().toString(16)}${(++traces).toString(16).padStart(8, '0')}`.padStart(32, 'a');
	const spanId = 'c1'.padEnd(16, '0');
	return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-01` } };
}

/**
 * A trace, once it has all these spans, and the parent of each but one: every process sends its own when it likes.
 * @param names of spans, or of a service and its span: `slotwise-booking lock hold`
 */
export function traceWith({ collector }: TracedProduct, traceId: string, names: string[]): Promise<CollectedSpan[]> {
	const what = `a trace with ${names.join(', ')}`;
	return until(
		() => {
			const spans = collector.of(traceId);
			const ids = new Set(spans.map(({ spanId }) => spanId));
			const isWhole = spans.filter(({ parentSpanId }) => !ids.has(parentSpanId)).length === 1;
			const there = new Set(spans.flatMap(({ name, service }) => [name, `${service} ${name}`]));
			return isWhole && names.every((name) => there.has(name)) && spans;
		},
		{ what },
	);
}

/** The names from a span up to the request, itself included; its parents must all have been collected. */
export function wayUp(spans: CollectedSpan[], span: CollectedSpan, root: string): string[] {
	if (span.parentSpanId === root) return [span.name];
	const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
	expect(parent).toBeDefined();
	return [span.name, ...wayUp(spans, parent!, root)];
}

export function named(spans: CollectedSpan[], name: string, service?: string): CollectedSpan {
	const found = spans.filter((span) => span.name === name && (service === undefined || span.service === service));
	expect([name, service, found.length > 0]).toEqual([name, service, true]);
	return found[0]!;
}
