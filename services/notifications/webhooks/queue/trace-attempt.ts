import { fail } from '../../../../shared/tracing/note-error.ts';
import { tracing } from '../../../../shared/tracing/tracing.ts';
import { type Attempt, isDelivered } from '../outbound/attempt.ts';
import type { DeliveryDocument } from '../store/delivery.model.ts';

/**
 * The span of an attempt, in the trace of the request that caused the event: be it another process that attempts, hours
 * later. Of the endpoint it has the webhook's id only, for its address may be a secret. The customer's server is told
 * nothing of the trace.
 * @param traceparent of that request, as the event log has it; without one there is no span
 */
export async function traceAttempt(
	delivery: DeliveryDocument,
	traceparent: string | undefined,
	send: () => Promise<Attempt>,
): Promise<Attempt> {
	const parent = tracing?.remote(traceparent);
	if (tracing === undefined || parent === undefined) return send();
	const attributes = {
		'http.request.method': 'POST',
		'http.request.resend_count': delivery.made,
		'slotwise.webhook_id': delivery.webhook_id,
		'slotwise.event_id': delivery.event_id,
	};
	return tracing.span('POST webhook', { kind: 'client', attributes, parent }, async (span) => {
		const attempt = await send();
		if (attempt.status !== null) span.setAttribute('http.response.status_code', attempt.status);
		if (!isDelivered(attempt)) fail(span, attempt.error === null ? String(attempt.status) : 'unanswered');
		return attempt;
	});
}
