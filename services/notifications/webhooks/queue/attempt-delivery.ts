import { timestamp } from '../../../../shared/clock.ts';
import type { Gatherer } from '../../../../shared/gatherer.ts';
import type { Logger } from '../../../../shared/log.ts';
import { CannotOpen, type SecretBox } from '../../../../shared/secret-box.ts';
import type { EventDocument } from '../../event.model.ts';
import type { DeliveryDocument } from '../deliveries/delivery.model.ts';
import { openSecrets } from '../endpoints/sealed-secrets.ts';
import type { WebhookDocument } from '../endpoints/webhook.model.ts';
import type { Attempt } from '../outbound/attempt.ts';
import type { WebhookSender } from '../outbound/send.ts';
import type { WebhookStore } from '../webhook-store.ts';
import type { EventKey } from './load-events.ts';
import { bodyOf, messageOf } from './message.ts';
import { traceAttempt } from './trace-attempt.ts';

/** What an attempt needs. */
export interface AttemptParts {
	store: WebhookStore;
	sender: Pick<WebhookSender, 'send'>;
	secretBox: SecretBox;
	events: Gatherer<EventKey, EventDocument | null>;
	logger: Logger;
}

/**
 * Sends a delivery once.
 * @returns undefined where there is nothing to send any more: its event is no longer kept
 */
export async function attemptDelivery(
	{ store, sender, secretBox, events, logger }: AttemptParts,
	webhook: WebhookDocument,
	delivery: DeliveryDocument,
	signal: AbortSignal,
): Promise<Attempt | undefined> {
	const { account_id, event_id, test } = delivery;
	const event = test ? null : await events.ask({ account_id, event_id });
	if (event === null && test === null) return undefined;
	const now = store.clock.now();
	try {
		const secrets = openSecrets(secretBox, webhook, now);
		const message = messageOf(delivery, webhook.url, bodyOf(delivery, event), secrets, now);
		return await traceAttempt(delivery, event?.traceparent, () => sender.send({ ...message, signal }));
	} catch (error) {
		if (!(error instanceof CannotOpen)) throw error;
		logger.error({ webhook_id: webhook._id, reason: error.message }, 'the secret of a webhook cannot be opened');
		const told = 'it could not be signed: rotate the secret';
		return { at: timestamp(now), duration: 0, status: null, error: told, retry_after: null };
	}
}
