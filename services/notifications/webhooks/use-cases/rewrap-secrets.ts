import type { Params } from '../../../../shared/contract/actions.ts';
import type { RewrapReport } from '../../../../shared/contract/reports.ts';
import { isSealedAnew, sealedAnew } from '../store/secrets.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import type { Webhooks } from '../webhooks.ts';

/** Webhooks that one call looks at */
const A_PIECE = 100;

/**
 * Seals by the first SECRET_KEY what another one sealed, of every account's webhooks, deleted ones too, in the order of their
 * ids. To be asked until a whole round finds nothing more: then the old key opens nothing that the new one does not.
 */
export async function rewrapSecrets(
	webhooks: Webhooks,
	{ after }: Params<'notifications.rewrapSecrets'>,
): Promise<RewrapReport> {
	const { endpoints } = webhooks.store;
	const found = await endpoints.ofEveryAccount(after, A_PIECE);
	const outcomes = await Promise.all(found.map((webhook) => rewrap(webhooks, webhook)));
	return {
		webhooks: found.length,
		sealed: outcomes.filter((outcome) => outcome === 'sealed').length,
		closed: found.filter((_, index) => outcomes[index] === 'closed').map(({ _id }) => _id),
		next: found.length < A_PIECE ? null : found.at(-1)!._id,
	};
}

async function rewrap(
	{ store, secretBox }: Webhooks,
	found: WebhookDocument,
): Promise<'sealed' | 'closed' | 'as it was'> {
	let webhook: WebhookDocument | null = found;
	while (webhook !== null) {
		if (isSealedAnew(secretBox, webhook)) return 'as it was';
		const fields = sealedAnew(secretBox, webhook, store.clock.now());
		if (fields === undefined) return 'closed';
		if (await store.endpoints.seal(webhook, fields)) return 'sealed';
		webhook = await store.endpoints.asItIs(webhook); // somebody changed it meanwhile
	}
	return 'as it was';
}
