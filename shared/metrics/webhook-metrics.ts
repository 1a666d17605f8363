import type { BacklogReport } from '../contract/webhook-reports.ts';
import { Durations } from '../engine/durations.ts';
import { boundedReading } from './bounded-reading.ts';
import type { Metrics } from './metrics.ts';

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
