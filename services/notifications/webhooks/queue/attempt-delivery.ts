import { timestamp } from '../../../../shared/engine/clock.ts';
import type { Gatherer } from '../../../../shared/engine/gatherer.ts';
import type { Logger } from '../../../../shared/log/log.ts';
import { CannotOpen, type SecretBox } from '../../../../shared/secrets/secret-box.ts';
import { fail } from '../../../../shared/tracing/note-error.ts';
import { tracing } from '../../../../shared/tracing/tracing.ts';
import type { EventDocument, EventKey } from '../../log/event-store.ts';
import { type Attempt, isDelivered } from '../outbound/attempt.ts';
import { NotWanted, type OutboundMessage, type WebhookSender } from '../outbound/send.ts';
import { sign } from '../outbound/signature.ts';
import type { DeliveryDocument } from '../store/delivery.model.ts';
import { openSecrets } from '../store/secrets.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';

/** What an attempt needs. */
export interface AttemptParts {
	store: WebhookStore;
	sender: Pick<WebhookSender, 'send'>;
	secretBox: SecretBox;
	events: Gatherer<EventKey, EventDocument | null>;
	logger: Logger;
}

/** What came of it; `expired`: its event is no longer kept; `changed`: nothing was sent, because the webhook changed */
export type Outcome = Attempt | 'expired' | 'changed';

/**
 * Sends a delivery once.
 * @param isCurrent whether the webhook is still as it was read; asked last, before the request leaves
 */
export async function attemptDelivery(
	{ store, sender, secretBox, events, logger }: AttemptParts,
	webhook: WebhookDocument,
	delivery: DeliveryDocument,
	{ signal, isCurrent }: { signal: AbortSignal; isCurrent(): Promise<boolean> },
): Promise<Outcome> {
	const { account_id, event_id, test } = delivery;
	const event = test ? null : await events.ask({ account_id, event_id });
	if (event === null && test === null) return 'expired';
	const now = store.clock.now();
	try {
		const secrets = openSecrets(secretBox, webhook, now);
		const message = messageOf(delivery, webhook.url, bodyOf(delivery, event), secrets, now);
		const send = () => sender.send({ ...message, signal, isWanted: isCurrent });
		return await traceAttempt(delivery, event?.traceparent, send);
	} catch (error) {
		if (error instanceof NotWanted) return 'changed';
		if (!(error instanceof CannotOpen)) throw error;
		logger.error({ webhook_id: webhook._id, reason: error.message }, 'the secret of a webhook cannot be opened');
		const told = 'it could not be signed: rotate the secret';
		return { at: timestamp(now), duration: 0, status: null, error: told, retry_after: null };
	}
}

/**
 * The body of a delivery, the same in every attempt: what the feed shows of the event, without its id, which is the
 * header's, and without `previous` where an earlier version wrote it. The order of the fields is part of the interface.
 */
function bodyOf({ event_type, test }: DeliveryDocument, event: EventDocument | null): string {
	if (event === null) return JSON.stringify({ type: event_type, ...test });
	const { type, timestamp, sequence, data, previous } = event;
	return JSON.stringify({ type, timestamp, sequence, data, previous });
}

/**
 * @param secrets the present one first
 * @param now ms; the time of this attempt
 */
function messageOf(
	{ event_id }: DeliveryDocument,
	url: string,
	body: string,
	secrets: readonly string[],
	now: number,
): OutboundMessage {
	const headers = {
		'content-type': 'application/json; charset=utf-8',
		'user-agent': 'Slotwise-Webhooks/1',
		...sign({ id: event_id, timestamp: Math.floor(now / 1_000), body, secrets }),
	};
	return { url, headers, body };
}

/**
 * The span of an attempt, in the trace of the request that caused the event, even where another process attempts it hours
 * later. Of the endpoint it has the webhook's id only, because its address may be a secret. The customer's server is told
 * nothing of the trace.
 * @param traceparent of that request, as the event log has it; without one there is no span
 */
async function traceAttempt(
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
