import { setTimeout as delay } from 'node:timers/promises';

/** ms that a scrape waits for what has to be asked for; Prometheus itself waits 10 s */
const PATIENCE = 1_000;

/**
 * A figure that has to be asked for, such as the store's backlog. A scrape waits a second at most, and asks nothing while
 * an earlier question is still under way: a dead store makes scrapes neither slow nor many.
 *
 * @returns how to read it; resolves to undefined where it is not known in time
 */
export function boundedReading<T>(ask: () => Promise<T>, patience = PATIENCE): () => Promise<T | undefined> {
	let running: Promise<T | undefined> | undefined;
	return async () => {
		running ??= ask()
			.catch(() => undefined)
			.finally(() => {
				running = undefined;
			});
		const patienceEnds = new AbortController();
		const late = delay(patience, undefined, { signal: patienceEnds.signal, ref: false }).catch(() => undefined);
		return Promise.race([running, late]).finally(() => patienceEnds.abort());
	};
}
