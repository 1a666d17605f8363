import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { anyFeed } from '../../services/gateway/calendar/calendar-feed.ts';
import { operations } from '../../services/gateway/operations/index.ts';
import type { WebhookWithSecret } from '../../shared/contract/schemas/webhook.ts';
import { type Scrape, scrape } from '../metrics/scrape.ts';
import { book, newCustomer, slotOn } from '../support/scheduling.ts';
import { anonymous, newAccount, sharedProduct } from '../support/shared-product.ts';
import { until } from '../support/until.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

interface Rule {
	alert: string;
	expr: string;
	for: string;
	annotations: { summary: string; why: string; runbook_url: string };
}
interface Panel {
	title: string;
	targets?: { expr: string }[];
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const { groups } = parse(read('monitoring/alerts.yaml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read('monitoring/dashboard.json')) as { panels: Panel[] };
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const));
const manual = read('docs/operations.md');

const everyProcess = () => scrape(sharedProduct().adminUrls);
/** Prometheus adds this one itself. */
/** More than there are actions, operations or collections; fewer than the accounts and bookings of the tests before */
const MOST_NAMES = 100;
const BY_PROMETHEUS = ['instance'];

describe('/metrics on the admin port (contract §9)', () => {
	let receiver: WebhookReceiver;
	beforeAll(async () => {
		receiver = await WebhookReceiver.start();
	});
	afterAll(() => receiver.stop());

	/** What one booking does is at most what the figures grow by: other tests use the same product. */
	test('When a booking is made and told to a webhook, then every part of its way has counted it', async () => {
		const before = await everyProcess();
		const client = newAccount();
		const place = await slotOn(client);
		(await client.post<WebhookWithSecret>('/v1/webhooks', { url: receiver.url(), events: ['*'] })).mustBe(201);
		await book(client, place, newCustomer());
		await until(() => receiver.received.length > 0, { what: 'the delivery' });
		await until(
			async () => {
				const after = await everyProcess();
				const grew = (name: string, labels: Record<string, string>) =>
					after.sum(name, labels) > before.sum(name, labels);
				return [
					grew('slotwise_requests_total', { operation: 'createBooking', status: '201' }),
					grew('slotwise_request_duration_seconds_bucket', { operation: 'createBooking', le: '+Inf' }),
					grew('slotwise_bus_call_duration_seconds_count', { action: 'booking.create', outcome: 'ok' }),
					grew('slotwise_lock_acquired_total', {}),
					grew('slotwise_lock_wait_seconds_count', {}),
					grew('slotwise_lock_hold_seconds_count', {}),
					grew('slotwise_store_operation_duration_seconds_count', { collection: 'bookings' }),
					grew('slotwise_webhook_attempt_duration_seconds_count', { outcome: 'delivered' }),
				].every(Boolean);
			},
			{ what: 'every figure to have grown' },
		);
	});

	test('When nothing has failed, then every operation has a count of its 500s all the same', async () => {
		const { samples } = await everyProcess();
		const counted = samples.filter(({ name, labels }) => name === 'slotwise_requests_total' && labels.status === '500');
		expect(new Set(counted.map(({ labels }) => labels.operation))).toEqual(
			new Set([...operations, anyFeed].map(({ id }) => id)),
		);
	});

	test('When requests are refused, then they are counted by operation and status', async () => {
		const before = await everyProcess();
		(await anonymous().get('/v1/bookings')).mustBe(401);
		(await anonymous().get('/nowhere')).mustBe(404);
		const counted = async () => {
			const after = await everyProcess();
			return [
				{ operation: 'listBookings', status: '401' },
				{ operation: 'none', status: '404' },
			].every((labels) => after.sum('slotwise_requests_total', labels) > before.sum('slotwise_requests_total', labels));
		};
		await until(counted, { what: 'both refusals to be counted' });
	});

	test('When all series are looked at, then none names an account, a key, an id or an address', async () => {
		const { samples } = await everyProcess();
		for (const { labels } of samples.filter(({ name }) => name.startsWith('slotwise_'))) {
			for (const [name, value] of Object.entries(labels)) {
				if (['le', 'status', 'version', 'node', 'namespace', 'services'].includes(name)) continue;
				expect(value).toMatch(/^([A-Za-z_.$]{1,40}|[1-5]xx)$/);
			}
		}
	});

	test('When all series are looked at, then no label has more values than the product has names for it', async () => {
		const { samples } = await everyProcess();
		const values = new Map<string, Set<string>>();
		for (const { name, labels } of samples) {
			for (const [label, value] of Object.entries(labels)) {
				const of = `${name}{${label}}`;
				values.set(of, (values.get(of) ?? new Set()).add(value));
			}
		}
		const unbounded = [...values].filter(([, { size }]) => size > MOST_NAMES).map(([of]) => of);
		expect(unbounded).toEqual([]);
	});
});

describe('what is made of the metrics', () => {
	let metrics: Scrape;
	beforeAll(async () => {
		metrics = await everyProcess();
	});

	test('docs/operations.md lists every metric with its type, and no other', () => {
		const documented = [...manual.matchAll(/^\| `(slotwise_\w+)` +\| (\w+) /gm)].map(([, name, type]) => [name, type]);
		const exposed = [...metrics.types].filter(([name]) => name.startsWith('slotwise_'));
		expect(documented.sort()).toEqual(exposed.sort());
	});

	test.each(queries)('The dashboard’s panel "%s" asks for what there is: %s', (_title, expr) => {
		expect(metrics.faultsOf(expr, BY_PROMETHEUS)).toEqual([]);
	});

	test.each(rules.map((rule) => [rule.alert, rule] as const))('The alert %s asks for what there is', (_name, rule) => {
		expect(metrics.faultsOf(rule.expr, BY_PROMETHEUS)).toEqual([]);
	});

	test.each(rules.map((rule) => [rule.alert, rule] as const))(
		'The alert %s has a time, a reason and a chapter in docs/operations.md',
		(name, rule) => {
			expect(rule.for).toMatch(/^\d+m$/);
			expect([rule.annotations.summary, rule.annotations.why]).not.toContain('');
			expect(rule.annotations.runbook_url).toBe(`docs/operations.md#${name.toLowerCase()}`);
			expect(manual).toContain(`\n#### ${name}\n`);
		},
	);

	test('docs/operations.md has no chapter for an alert that does not exist', () => {
		const chapters = [...manual.matchAll(/^#### (Slotwise\w+)$/gm)].map(([, name]) => name);
		expect(chapters.sort()).toEqual(rules.map(({ alert }) => alert).sort());
	});
});
