import type { Clock } from '../../../shared/engine/clock.ts';
import { tellTogether } from '../../../shared/engine/tell-together.ts';
import type { Logger } from '../../../shared/log/log.ts';

const EVERY = 1_000; // ms

/**
 * Logs how many requests were refused because more came than can be served.
 * @returns to be called at each refusal
 */
export function refusalTeller(clock: Clock, logger: Logger): () => void {
	return tellTogether(EVERY, clock, (requests) => {
		logger.warn({ requests }, 'requests refused: more come than can be served');
	});
}
