import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { WebhookWithSecret } from '../../shared/contract/schemas/webhook.ts';
import { Prometheus } from '../support/prometheus.ts';
import { book, slotOn } from '../support/scheduling.ts';
import { isInstalled } from '../support/servers.ts';
import { anonymous, newAccount, sharedProduct } from '../support/shared-product.ts';
import { until } from '../support/until.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

interface Panel {
	title: string;
	targets?: { expr: string }[];
}

const ALERTS = fileURLToPath(new URL('../../monitoring/alerts.yaml', import.meta.url));
const DASHBOARD = new URL('../../monitoring/dashboard.json', import.meta.url);
const NAMESPACE = 'slotwise';
const PATIENCE = 240_000; // ms

/** Series of what never happened here do not exist: Redis and the store were never away. */
const MAY_BE_EMPTY = ['slotwise_store_errors_total', 'slotwise_lock_free_total'];

const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as { panels: Panel[] };
const queries = panels.flatMap(({ title, targets = [] }) =>
	targets.map(({ expr }) => [title, expr.replaceAll('$__rate_interval', '1m')] as const),
);

const [onPrometheus, why] = isInstalled('prometheus')
	? [describe, '']
	: [describe.skip, ' (skipped: prometheus is not installed)'];

onPrometheus(`What a real Prometheus reads${why}`, () => {
	let prometheus: Prometheus;
	let receiver: WebhookReceiver;
	let namespace = NAMESPACE;

	beforeAll(async () => {
		[prometheus, receiver] = await Promise.all([
			Prometheus.start(sharedProduct().adminUrls, [ALERTS]),
			WebhookReceiver.start(),
		]);
		const all = sharedProduct().adminUrls.length;
		const up = async () => (await prometheus.query('up == 1')).length === all;
		await until(up, { what: 'every process to be scraped' });
		const [build] = (await prometheus.query('slotwise_build_info')) as { metric: { namespace: string } }[];
		namespace = build!.metric.namespace;
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 50 });
		(await client.post<WebhookWithSecret>('/v1/webhooks', { url: receiver.url() })).mustBe(201);
		await book(client, place);
		(await anonymous().get('/v1/bookings')).mustBe(401);
		await until(() => receiver.received.length > 0, { what: 'the delivery' });
	}, PATIENCE);
	afterAll(() => Promise.all([prometheus?.stop(), receiver?.stop()]));

	test.each(queries)(
		'The dashboard’s panel "%s" shows something: %s',
		async (_title, expr) => {
			const ask = () => prometheus.query(expr.replaceAll('$namespace', namespace));
			if (MAY_BE_EMPTY.some((name) => expr.includes(name))) await ask();
			else await until(async () => (await ask()).length > 0, { what: `series of ${expr}` });
		},
		PATIENCE,
	);

	test(
		'Every alert is evaluated without an error',
		async () => {
			const unwell = async () => (await prometheus.rules()).filter(({ health }) => health !== 'ok');
			await until(async () => (await unwell()).length === 0).catch(async () => expect(await unwell()).toEqual([]));
			expect((await prometheus.rules()).length).toBeGreaterThan(15);
		},
		PATIENCE,
	);
});
