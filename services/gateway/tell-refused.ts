import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { Admission } from './admission.ts';

/** ms between two lines: a flood of requests must not become one of lines */
const EVERY = 1_000;

/**
 * Logs how many requests were refused because more came than can be served: the first at once, later ones together.
 * @returns to be called at each refusal
 */
export function refusalTeller(admission: Admission, clock: Clock, logger: Logger): () => void {
	let known = 0;
	let told = Number.NEGATIVE_INFINITY;
	return () => {
		const now = clock.monotonic();
		if (now - told < EVERY) return;
		logger.warn({ requests: admission.refused - known }, 'requests refused: more come than can be served');
		known = admission.refused;
		told = now;
	};
}
