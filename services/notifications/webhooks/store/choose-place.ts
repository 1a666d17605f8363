import { WEBHOOKS_LIMIT } from '../../../../shared/contract/schemas/webhook.ts';
import { randomIndex } from '../../../../shared/engine/ids.ts';
import type { WebhookStore } from './webhook-store.ts';

/**
 * A place for a new webhook of the account: one of 25 numbers that are free, at random, for others choose as well. The
 * unique index lets one webhook have it, so the limit holds whatever runs at once.
 *
 * @returns null where all are taken
 */
export async function choosePlace(store: WebhookStore, account_id: string): Promise<string | null> {
	const held = await store.webhooks
		.find({ account_id, deleted_at: null })
		.select({ place: 1 })
		.limit(WEBHOOKS_LIMIT)
		.lean<{ place: string }[]>();
	const taken = new Set(held.map(({ place }) => place));
	const free = Array.from({ length: WEBHOOKS_LIMIT }, (_, number) => `${account_id}:${number}`).filter(
		(place) => !taken.has(place),
	);
	return free.length === 0 ? null : free[randomIndex(free.length)]!;
}
