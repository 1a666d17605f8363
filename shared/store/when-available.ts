import { setTimeout as delay } from 'node:timers/promises';
import { isUnavailable } from './write-errors.ts';

const RETRY_EVERY = 500; // ms

/**
 * Tries again while the store is unavailable. For the start of a process only, and for what may be done twice: a request
 * is never retried.
 * @param patience ms after which the last failure is thrown
 * @param onWait hears of the first failure
 */
export async function whenAvailable<T>(
	work: () => Promise<T>,
	patience: number,
	onWait?: (error: unknown) => void,
): Promise<T> {
	const end = performance.now() + patience;
	for (let attempt = 1; ; attempt++) {
		try {
			return await work();
		} catch (error) {
			if (!isUnavailable(error) || performance.now() > end) throw error;
			if (attempt === 1) onWait?.(error);
			await delay(RETRY_EVERY);
		}
	}
}
