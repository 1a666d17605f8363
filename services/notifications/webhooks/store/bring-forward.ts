import { whenAvailable } from '../../../../shared/store/when-available.ts';
import { filler, urlAllotmentsOf } from './allotments.ts';
import type { WebhookDocument, WebhookModel } from './webhook.model.ts';

/** ms that the store may be away */
const PATIENCE = 8_000;

/**
 * Gives webhooks of version 0.1 the fields that came with 0.2, before the unique index on `url_place` is made. The first
 * five enabled webhooks of an account and URL get its allotments; any others stay as they are until they are changed. It
 * may be repeated, also after it ended half-way.
 */
export async function bringForward(webhooks: WebhookModel): Promise<void> {
	await whenAvailable(() => webhooks.createCollection(), PATIENCE);
	const old = await whenAvailable(
		() =>
			webhooks
				.find({ url_place: null as unknown as string })
				.sort({ _id: 1 })
				.setOptions({ everyAccount: true })
				.lean<WebhookDocument[]>(),
		PATIENCE,
	);
	for (const { _id, account_id, url, enabled, deleted_at, version } of old) {
		const url_place = enabled && deleted_at === null ? await firstFree(webhooks, account_id, url) : undefined;
		const fields = { url_place: url_place ?? filler(_id), past: [], epoch: version, missed: null };
		await webhooks.updateOne({ _id, account_id }, { $set: fields });
	}
}

async function firstFree(webhooks: WebhookModel, account_id: string, url: string): Promise<string | undefined> {
	const allotments = urlAllotmentsOf(account_id, url);
	const held = await webhooks.find({ account_id, url_place: { $in: allotments } }).lean<WebhookDocument[]>();
	return allotments.find((each) => !held.some(({ url_place }) => url_place === each));
}
