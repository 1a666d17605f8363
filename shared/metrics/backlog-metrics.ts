import { setTimeout as delay } from 'node:timers/promises';
import type { BacklogReport, OutboxReport } from '../contract/reports.ts';
import { Durations } from '../engine/durations.ts';
import type { Metrics } from './metrics.ts';

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

/**
 * What waits in booking: in this process, and in the store that all its processes share.
 * @param waiting claims of a seat that wait for their batch in this process
 * @param removed bookings that this process removed because their account keeps them no longer
 */
export function bookingMetrics(
	metrics: Metrics,
	waiting: () => number,
	outbox: () => Promise<OutboxReport>,
	removed: () => number,
): void {
	const read = boundedReading(outbox);
	metrics.gauge('booking_queue_length', 'Claims of a seat that wait for their batch in this process', waiting);
	metrics.counter(
		'bookings_removed_total',
		'Bookings removed that ended longer ago than their account keeps them',
		removed,
	);
	metrics.gauge(
		'outbox_waiting',
		'Bookings with events on their way to the feed, of all processes; exact to 10,000',
		async () => (await read())?.waiting,
	);
	metrics.gauge('outbox_oldest_seconds', 'For how long the oldest of them has waited', async () => {
		const report = await read();
		return report && report.oldest / 1000;
	});
}

/** `refused`: a complete answer other than 2xx; `unanswered`: none, for whatever reason */
const OUTCOMES = ['delivered', 'refused', 'unanswered'] as const;
export type AttemptOutcome = (typeof OUTCOMES)[number];

/** Deliveries to webhooks: the attempts of this process, and what waits in the store that all its processes share. */
export class WebhookMetrics {
	readonly #attempts = new Map(OUTCOMES.map((outcome) => [outcome, new Durations()]));

	constructor(metrics: Metrics, backlog: () => Promise<BacklogReport>) {
		const read = boundedReading(backlog);
		metrics.histogram('webhook_attempt_duration_seconds', 'Attempts to deliver, by what came of them', () =>
			[...this.#attempts].map(([outcome, of]) => ({ labels: { outcome }, of })),
		);
		metrics.gauge(
			'webhook_deliveries_waiting',
			'Deliveries that wait for an attempt, of all processes; exact to 10,000',
			async () => (await read())?.waiting,
		);
		metrics.gauge('webhook_oldest_due_seconds', 'For how long the oldest of them has been due', async () => {
			const report = await read();
			return report && report.oldest / 1000;
		});
		metrics.gauge('webhooks_failing', 'Webhooks whose endpoint fails, of all accounts; 100 at most', async () => {
			return (await read())?.failing.length;
		});
	}

	/** @param ms that the attempt took */
	observe(outcome: AttemptOutcome, ms: number): void {
		this.#attempts.get(outcome)!.observe(ms);
	}
}
