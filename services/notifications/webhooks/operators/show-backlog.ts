import { timestamp } from '../../../../shared/clock.ts';
import { EXACT_UP_TO } from '../../../../shared/count/bounded-count.ts';
import type { BacklogReport } from '../../../../shared/ops/webhook-reports.ts';
import type { DeliveryDocument } from '../deliveries/delivery.model.ts';
import type { WebhookDocument } from '../endpoints/webhook.model.ts';
import type { WebhookStore } from '../webhook-store.ts';

const MOST_FAILING = 100;

/** What waits in the queues of every account, and which endpoints fail. Each look goes along an index and ends early. */
export async function showBacklog({ webhooks, deliveries, clock }: WebhookStore): Promise<BacklogReport> {
	const [waiting, oldest, failing] = await Promise.all([
		deliveries.countDocuments({ due_at: { $gt: 0 } }, { limit: EXACT_UP_TO + 1 }).setOptions({ everyAccount: true }),
		deliveries
			.findOne({ due_at: { $gt: 0 } })
			.sort({ due_at: 1 })
			.select({ due_at: 1 })
			.setOptions({ everyAccount: true })
			.lean<Pick<DeliveryDocument, 'due_at'>>(),
		webhooks
			.find({ failing_since: { $gt: 0 } })
			.sort({ failing_since: 1 })
			.limit(MOST_FAILING)
			.setOptions({ everyAccount: true })
			.lean<WebhookDocument[]>(),
	]);
	return {
		waiting,
		oldest: oldest ? Math.max(0, clock.now() - oldest.due_at) : 0,
		failing: failing.map(({ account_id, _id, failing_since }) => ({
			account_id,
			webhook_id: _id,
			since: timestamp(failing_since),
		})),
	};
}
