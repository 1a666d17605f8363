import { timestamp } from '../../../../shared/engine/clock.ts';
import type { Gatherer } from '../../../../shared/engine/gatherer.ts';
import type { Logger } from '../../../../shared/log/log.ts';
import { CannotOpen, type SecretBox } from '../../../../shared/secrets/secret-box.ts';
import type { EventDocument } from '../../log/event.model.ts';
import type { Attempt } from '../outbound/attempt.ts';
import { NotWanted, type WebhookSender } from '../outbound/send.ts';
import type { DeliveryDocument } from '../store/delivery.model.ts';
import { openSecrets } from '../store/secrets.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
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

/** What came of it; `expired`: its event is no longer kept; `changed`: nothing was sent, for the webhook is another now */
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
