import { describe, expect, test } from '@jest/globals';
import { Errors, ServiceBroker } from 'moleculer';
import { ApiError } from '../../shared/contract/errors.ts';
import { Durations } from '../../shared/engine/durations.ts';
import { localFairLock } from '../../shared/lock/local-fair-lock.ts';
import { RequestMetrics } from '../../shared/metrics/gateway-metrics.ts';
import { Metrics } from '../../shared/metrics/metrics.ts';
import { busMetrics, measuredLock } from '../../shared/metrics/process-metrics.ts';
import { keyOf } from '../support/account-keys.ts';
import { Scrape } from './scrape.ts';

async function read(metrics: Metrics): Promise<Scrape> {
	const scrape = new Scrape();
	scrape.add(await metrics.text());
	return scrape;
}

describe('the metrics of a process', () => {
	test('When two products live in one process, then each tells its own figures', async () => {
		const [one, other] = [new Metrics('one'), new Metrics('other')];
		new RequestMetrics(one, () => 0).observe('getService', 200, 3);
		new RequestMetrics(other, () => 0);
		const labels = { operation: 'getService', status: '200', namespace: 'one' };
		expect((await read(one)).sum('slotwise_requests_total', labels)).toBe(1);
		expect((await read(other)).sum('slotwise_requests_total', {})).toBe(0);
	});

	test('When an operation is expected, then its first 500 is an increase', async () => {
		const metrics = new Metrics('one');
		const requests = new RequestMetrics(metrics, () => 0);
		requests.expect('getService');
		const failed = async () => (await read(metrics)).samples.find(({ labels }) => labels.status === '500')?.value;
		expect(await failed()).toBe(0);
		requests.observe('getService', 500, 1);
		expect(await failed()).toBe(1);
	});

	test('When one name is registered twice, then it is refused', () => {
		const metrics = new Metrics('one');
		metrics.gauge('depth', 'a depth', () => 1);
		expect(() => metrics.gauge('depth', 'another', () => 2)).toThrow('slotwise_depth');
	});

	test('When a figure is unknown, then its series is left out, and the others are there', async () => {
		const metrics = new Metrics('one');
		metrics.gauge('unknown', 'nobody knows', async () => undefined);
		metrics.gauge('known', 'a figure', () => 0);
		const { samples, types } = await read(metrics);
		expect(samples.map(({ name }) => name)).toEqual(['slotwise_known']);
		expect(types.get('slotwise_unknown')).toBe('gauge');
	});

	test('When durations are observed, then a bucket holds all that were at most its bound', async () => {
		const durations = new Durations([0.01, 0.1]);
		for (const ms of [1, 10, 11, 100, 5_000]) durations.observe(ms);
		const metrics = new Metrics('one');
		metrics.histogram('wait_seconds', 'waits', () => [{ labels: {}, of: durations }]);
		const scrape = await read(metrics);
		const buckets = scrape.samples.filter(({ name }) => name.endsWith('_bucket'));
		expect(buckets.map(({ labels, value }) => [labels.le, value])).toEqual([
			['0.01', 2],
			['0.1', 4],
			['+Inf', 5],
		]);
		expect(scrape.sum('slotwise_wait_seconds_sum', {})).toBeCloseTo(5.122, 6);
		expect(scrape.sum('slotwise_wait_seconds_count', {})).toBe(5);
	});
});

describe('what is counted', () => {
	test('When calls end in every way, then each has its outcome', async () => {
		const metrics = new Metrics('one');
		const broker = new ServiceBroker({ logger: false, middlewares: [busMetrics(metrics)] });
		const throwing = (error: Error) => () => {
			throw error;
		};
		broker.createService({
			name: 'thing',
			actions: {
				answer: () => 'ok',
				refuse: throwing(new ApiError('booking_not_found')),
				miss: throwing(new ApiError('service_unavailable')),
				wait: throwing(new Errors.RequestTimeoutError({ action: 'thing.wait', nodeID: 'here' })),
				break: throwing(new TypeError('a bug')),
			},
		});
		await broker.start();
		const actions = ['answer', 'refuse', 'miss', 'wait', 'break'].map((name) => `thing.${name}`);
		await Promise.allSettled([...actions, 'nobody.here'].map((action) => broker.call(action)));
		await broker.stop();
		const counts = (await read(metrics)).samples.filter(({ name }) => name.endsWith('_count'));
		expect(Object.fromEntries(counts.map(({ labels }) => [labels.action, labels.outcome]))).toEqual({
			'thing.answer': 'ok',
			'thing.refuse': 'refused',
			'thing.miss': 'unavailable',
			'thing.wait': 'timeout',
			'thing.break': 'failed',
			'nobody.here': 'unavailable',
		});
		expect(counts.every(({ value }) => value === 1)).toBe(true);
	});

	test('L4, L5: When leases are granted, refused and lost, then it is told, with waits and holds', async () => {
		const metrics = new Metrics('one');
		const lock = measuredLock(localFairLock({ ttl: 5_000, maxWait: 1 }), metrics);
		const lease = await lock.acquire(keyOf(7, '2026-11-23'));
		expect(await lock.acquire(keyOf(7, '2026-11-23'))).toBeUndefined();
		lease!.lasts(60_000);
		await lock.close();
		const scrape = await read(metrics);
		expect(scrape.sum('slotwise_lock_acquired_total', {})).toBe(1);
		expect(scrape.sum('slotwise_lock_free_total', { reason: 'timeout' })).toBe(1);
		expect(scrape.sum('slotwise_lock_lost_total', {})).toBe(1);
		expect(scrape.sum('slotwise_lock_wait_seconds_count', {})).toBe(2);
		expect(scrape.sum('slotwise_lock_hold_seconds_count', {})).toBe(1);
		expect(scrape.sum('slotwise_lock_ttl_seconds', {})).toBe(5);
	});
});
