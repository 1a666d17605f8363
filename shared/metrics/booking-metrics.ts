import type { OutboxReport } from '../contract/reports.ts';
import { boundedReading } from './bounded-reading.ts';
import type { Metrics } from './metrics.ts';

/**
 * What waits in booking: in this process, and in the store that all its processes share.
 * @param waiting claims on a place that wait for their batch in this process
 */
export function bookingMetrics(metrics: Metrics, waiting: () => number, outbox: () => Promise<OutboxReport>): void {
	const read = boundedReading(outbox);
	metrics.gauge('booking_queue_length', 'Claims on a place that wait for their batch in this process', waiting);
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
