import type { CallMiddlewareHandler, Middleware } from 'moleculer';
import type { Connection } from 'mongoose';
import { asApiError } from '../bus/call.ts';
import type { AccountKey } from '../contract/actions/common.ts';
import { ApiError } from '../contract/errors.ts';
import { Durations } from '../engine/durations.ts';
import type { FairLock, Lease } from '../lock/fair-lock.ts';
import { eachOperation } from '../store/each-operation.ts';
import { isDuplicateKey, isUnavailable } from '../store/write-errors.ts';
import { CountsBy, DurationsBy } from './by-labels.ts';
import type { Metrics } from './metrics.ts';

/**
 * `refused`: an error of the catalogue that is the client's, `unavailable`: nobody there, or its store is away,
 * `timeout`: no answer in time, `failed`: a bug
 */
type Outcome = 'ok' | 'refused' | 'unavailable' | 'timeout' | 'failed';

/** The calls that this process makes of actions, its own included: what a caller saw, answered or not. */
export function busMetrics(metrics: Metrics): Middleware {
	const durations = new DurationsBy('action', 'outcome');
	metrics.histogram('bus_call_duration_seconds', 'Calls of actions by this process, until they were answered', () =>
		durations.series(),
	);
	const call = (next: CallMiddlewareHandler): CallMiddlewareHandler => {
		return (action, params, options) => {
			const begin = performance.now();
			const note = (outcome: Outcome) => durations.of(action, outcome).observe(performance.now() - begin);
			const answer = next(action, params, options);
			answer.then(
				() => note('ok'),
				(error: unknown) => note(outcomeOf(error)),
			);
			return answer;
		};
	};
	return { name: 'BusMetrics', call } as unknown as Middleware; // its typing has the hook answer, not return a caller
}

function outcomeOf(error: unknown): Outcome {
	const known = asApiError(error);
	if (!(known instanceof ApiError)) return 'failed';
	if (known.status === 503) return 'unavailable';
	if (known.status === 504) return 'timeout';
	return known.status < 500 ? 'refused' : 'failed';
}

/** Measures what the models ask of the store. To be called before any model is made. */
export function measureStore(connection: Connection, metrics: Metrics): void {
	const durations = new DurationsBy('collection', 'operation');
	const errors = new CountsBy('operation', 'kind');
	metrics.histogram(
		'store_operation_duration_seconds',
		'Operations of the store until they ended, failed ones too',
		() => durations.series(),
	);
	metrics.counter('store_errors_total', 'Operations of the store that failed', () => errors.samples());

	eachOperation(connection, (collection, operation, run) => {
		const begin = performance.now();
		const end = () => durations.of(collection, operation).observe(performance.now() - begin);
		const answer = run();
		answer.then(end, (error: unknown) => {
			end();
			errors.add(operation, kindOf(error));
		});
		return answer;
	});
}

/** `duplicate_key` is how a unique index says no; it is part of deciding, not a fault. */
function kindOf(error: unknown): 'duplicate_key' | 'unavailable' | 'other' {
	if (isDuplicateKey(error)) return 'duplicate_key';
	return isUnavailable(error) ? 'unavailable' : 'other';
}

const NONE = {};

/**
 * The lock per account, slot and date, as this process sees it (promise L5).
 * @returns the lock, whose waits are measured
 */
export function measuredLock(lock: FairLock, metrics: Metrics): FairLock {
	const { stats } = lock;
	const waits = new Durations();
	metrics.counter('lock_acquired_total', 'Leases that were granted', () => stats.acquired);
	metrics.counter('lock_free_total', 'Batches that went on without the lock, by why', () =>
		Object.entries(stats.lockFree).map(([reason, value]) => ({ labels: { reason }, value })),
	);
	metrics.counter('lock_lost_total', 'Leases that ended before their holder was done', () => stats.lost);
	metrics.gauge('lock_degraded', '1 while the lock is skipped, because Redis does not answer', () =>
		Number(stats.degraded),
	);
	metrics.gauge('lock_ttl_seconds', 'For how long a lease is given', () => stats.ttl / 1000);
	metrics.histogram('lock_wait_seconds', 'From asking for a lease to having it, or going on without', () => [
		{ labels: NONE, of: waits },
	]);
	metrics.histogram('lock_hold_seconds', 'For how long a lease was held: the critical section', () => [
		{ labels: NONE, of: stats.held },
	]);
	return {
		stats,
		async acquire(key: AccountKey): Promise<Lease | undefined> {
			const begin = performance.now();
			const lease = await lock.acquire(key);
			waits.observe(performance.now() - begin);
			return lease;
		},
		inspect: (key) => lock.inspect(key),
		close: () => lock.close(),
	};
}
