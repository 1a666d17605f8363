import { createHash } from 'node:crypto';
import { ENABLED_PER_URL } from '../../../../shared/contract/schemas/webhook.ts';
import { randomIndex } from '../../../../shared/engine/ids.ts';
import type { WebhookDocument } from './webhook.model.ts';
import type { WebhookStore } from './webhook-store.ts';

/**
 * A place for an enabled webhook among those of its account that post to the same URL: one of 5 numbers that is free, at
 * random, for others choose as well. The unique index lets one webhook have it, so the limit holds whatever runs at once.
 * @returns null where all are taken
 */
export async function chooseUrlPlace(
	store: WebhookStore,
	{ _id, account_id, url }: Pick<WebhookDocument, '_id' | 'account_id' | 'url'>,
): Promise<string | null> {
	const places = urlPlaces(account_id, url);
	const held = await store.webhooks
		.find({ account_id, url_place: { $in: places }, _id: { $ne: _id } })
		.select({ url_place: 1 })
		.lean<Pick<WebhookDocument, 'url_place'>[]>();
	const taken = new Set(held.map(({ url_place }) => url_place));
	const free = places.filter((place) => !taken.has(place));
	return free.length === 0 ? null : free[randomIndex(free.length)]!;
}

/** `<account>:<hash of the URL>:<number>`; however the URL is spelled, what is asked for is the same. */
export function urlPlaces(account_id: string, url: string): string[] {
	const hash = createHash('sha256').update(new URL(url).href).digest('base64url');
	return Array.from({ length: ENABLED_PER_URL }, (_, number) => `${account_id}:${hash}:${number}`);
}
