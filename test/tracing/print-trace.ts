import type { WebhookWithSecret } from '../../shared/contract/schemas/webhook.ts';
import { Client } from '../support/http-client.ts';
import { type Form, startProduct } from '../support/product.ts';
import { bookingBody, slotOn } from '../support/scheduling.ts';
import { TraceCollector } from '../support/trace-collector.ts';
import { until } from '../support/until.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { traceTree } from './trace-tree.ts';

/**
 * Prints the trace of a booking, from the request to the delivery of its webhook:
 * `node test/tracing/print-trace.ts [cluster]`. The cluster's servers are those of the tests.
 */
const form: Form = process.argv[2] === 'cluster' ? 'cluster' : 'embedded';
const collector = await TraceCollector.start();
const receiver = await WebhookReceiver.start();
const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
const product = await startProduct({ form, keys: { Unlimited: 1 }, env });
try {
	const client = new Client(() => product.urls(), product.keys.Unlimited[0]!);
	(await client.post<WebhookWithSecret>('/v1/webhooks', { url: receiver.url('/hook') })).mustBe(201);
	(await client.post('/v1/bookings', bookingBody(await slotOn(client), {}))).mustBe(201);
	await until(() => receiver.of('/hook').length > 0, { what: 'the delivery' });
} finally {
	await product.stop(); // what is left of the spans is sent
	await receiver.stop();
	await collector.stop();
}
const { traceId } = collector.spans.find(({ name }) => name === 'POST /v1/bookings')!;
process.stdout.write(`${traceTree(collector.of(traceId))}\n`);
