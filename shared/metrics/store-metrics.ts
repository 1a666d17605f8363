import type { Connection } from 'mongoose';
import { eachOperation } from '../store/each-operation.ts';
import { isDuplicateKey, isUnavailable } from '../store/write-errors.ts';
import { CountsBy, DurationsBy } from './by-labels.ts';
import type { Metrics } from './metrics.ts';

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
