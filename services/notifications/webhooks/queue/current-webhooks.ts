import { Gatherer } from '../../../../shared/engine/gatherer.ts';
import type { WebhookDocument, WebhookModel } from '../store/webhook.model.ts';

export type WebhookKey = Pick<WebhookDocument, '_id' | 'account_id'>;
/** What tells whether it changed, and whose queue it is */
export type WebhookState = WebhookKey & Pick<WebhookDocument, 'version' | 'wake_at' | 'lease' | 'lease_until'>;

/** Webhooks of one batch */
const MOST = 250;

/** The webhooks' states, not older than the question; null where one is not there. Those asked for together share a find. */
export function currentWebhooks(model: WebhookModel): Gatherer<WebhookKey, WebhookState | null> {
	return new Gatherer(
		async (keys) => {
			const filter = {
				_id: { $in: [...new Set(keys.map(({ _id }) => _id))] },
				account_id: { $in: [...new Set(keys.map(({ account_id }) => account_id))] },
			};
			const found = await model
				.find(filter)
				.select({ account_id: 1, version: 1, wake_at: 1, lease: 1, lease_until: 1 })
				.lean<WebhookState[]>();
			const byId = new Map(found.map((webhook) => [webhook._id, webhook]));
			return keys.map(({ _id, account_id }) => {
				const webhook = byId.get(_id);
				return webhook?.account_id === account_id ? webhook : null;
			});
		},
		{ maxBatch: MOST },
	);
}
