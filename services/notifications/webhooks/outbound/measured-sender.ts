import type { WebhookMetrics } from '../../../../shared/metrics/webhook-metrics.ts';
import { isDelivered } from './attempt.ts';
import type { WebhookSender } from './send.ts';

/** A sender whose attempts are counted by what came of them. */
export function measuredSender(
	sender: Pick<WebhookSender, 'send'>,
	metrics: WebhookMetrics,
): Pick<WebhookSender, 'send'> {
	return {
		async send(message) {
			const attempt = await sender.send(message);
			const answered = attempt.error === null ? 'refused' : 'unanswered';
			metrics.observe(isDelivered(attempt) ? 'delivered' : answered, attempt.duration);
			return attempt;
		},
	};
}
