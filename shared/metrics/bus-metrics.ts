import type { CallMiddlewareHandler, Middleware } from 'moleculer';
import { asApiError } from '../bus/call.ts';
import { ApiError } from '../contract/errors.ts';
import { DurationsBy } from './by-labels.ts';
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
