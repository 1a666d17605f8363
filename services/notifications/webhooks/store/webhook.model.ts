import { type Model, Schema } from 'mongoose';
import type { DisabledReason, Webhook } from '../../../../shared/contract/schemas/webhook.ts';
import { timestamp } from '../../../../shared/engine/clock.ts';
import { modelOf, number, text } from '../../../../shared/store/model.ts';

/** What an Idempotency-Key remembers. `answer`: the first answer as JSON; sealed, because it holds the secret. */
export interface IdempotencyRecord {
	fingerprint: string;
	/** ms */
	at: number;
	answer: string;
}

/** Signs along until `until` (ms). */
export interface OldSecret {
	secret: string;
	until: number;
}

/**
 * What a webhook took before its subscription changed. Between an event and its turn in the queue the subscription may
 * change any number of times; each event is judged by the one that held when it came into the log.
 */
export interface PastSubscription {
	/** Types; none where it was disabled */
	events: Webhook['events'];
	/** Sequence of the account's last event that it is about */
	until: number;
	/** Queues' time (ms); when it ended. What happened before, and came into the log later, is judged by it as well. */
	ended: number;
}

/**
 * A webhook, and where its queue stands. Three unique indexes hold what must be true whatever runs at once: the allotments
 * `place` (at most 25 an account) and `url_place` (at most 5 of them enabled for one URL), and `idempotency_key` (one
 * webhook a key). A webhook that needs none holds the filler `free:<_id>`.
 *
 * What clients change raises `version`, and every such write compares it. The queue's own fields are below; their writes
 * leave `version` and `updated_at` alone, and compare what they were decided on: the version where a change of the
 * subscription matters, the `epoch` where the endpoint does.
 */
export interface WebhookDocument {
	_id: number;
	account_id: string;
	url: string;
	events: Webhook['events'];
	description: string | null;
	enabled: boolean;
	disabled_reason: DisabledReason | null;
	disabled_at: string | null;
	/** Sealed */
	secret: string;
	/** Sealed; the newest first */
	old_secrets: OldSecret[];
	/** Its allotment: `<account>:<number>`, 0 to 24 */
	place: string;
	/** Its allotment for the URL while it is enabled: `<account>:<hash of the URL>:<number>`, 0 to 4 */
	url_place: string;
	/** `<account>:webhook.create:<key>` for 24 h */
	idempotency_key: string;
	idempotency: IdempotencyRecord | null;
	version: number;
	created_at: string;
	updated_at: string;
	/** Kept as a tombstone from then on; null: not deleted */
	deleted_at: string | null;
	/** A client was sent the `ok` of its deletion; until then, a repeated DELETE is answered `ok`, too. */
	delete_answered: boolean;
	/** When the tombstone may go, ms; 0 where it is none */
	remove_at: number;

	/** Sequence of the last event of the account's log for which there is a delivery, if it wants one */
	cursor: number;
	/** Subscriptions before the present one, the oldest first: those that the queue may still have to judge by */
	past: PastSubscription[];
	/** The version in which URL or `enabled` changed last: an attempt of an earlier one says nothing about the endpoint */
	epoch: number;
	/** Events that were no longer kept when their turn came; null where there are none */
	missed: Webhook['missed'];
	/**
	 * Queues' time (ms); when somebody should look at the queue. 0: nothing to do, or its owner is at it and nothing has
	 * come since it looked. Whoever adds work sets it to `AT_ONCE`.
	 */
	wake_at: number;
	/** The process that owns the queue, and until when (queues' time, ms); '' and 0 where nobody does */
	lease: string;
	lease_until: number;
	/** ms of the first failed attempt since the last success, and of a recent one; 0 where the last one succeeded */
	failing_since: number;
	failed_at: number;
	/** Queues' time (ms); deliveries that failed from here to there are to be sent again; 0 where none are */
	recover_since: number;
	recover_until: number;
}

export type WebhookModel = Model<WebhookDocument>;

export const webhookModel = modelOf<WebhookDocument>('Webhook', 'webhooks', {
	fields: {
		_id: number,
		account_id: text,
		url: text,
		events: [text],
		description: { type: String, default: null },
		enabled: { type: Boolean, required: true },
		disabled_reason: { type: String, default: null },
		disabled_at: { type: String, default: null },
		secret: text,
		old_secrets: { type: Schema.Types.Mixed, default: [] },
		place: text,
		url_place: text,
		idempotency_key: text,
		idempotency: { type: Schema.Types.Mixed, default: null },
		version: number,
		created_at: text,
		updated_at: text,
		deleted_at: { type: String, default: null },
		delete_answered: { type: Boolean, default: false },
		remove_at: number,
		cursor: number,
		past: { type: Schema.Types.Mixed, default: [] },
		epoch: number,
		missed: { type: Schema.Types.Mixed, default: null },
		wake_at: number,
		lease: { type: String, default: '' },
		lease_until: number,
		failing_since: number,
		failed_at: number,
		recover_since: number,
		recover_until: number,
	},
	unique: {
		place: { place: 1 },
		url_place: { url_place: 1 },
		idempotency_key: { idempotency_key: 1 },
	},
	indexes: {
		listed: { account_id: 1, deleted_at: 1, _id: 1 },
		due: { wake_at: 1, lease_until: 1 },
		owned: { lease: 1, lease_until: 1 },
		failing_due: { failing_since: 1, wake_at: 1 },
		remove_at: { remove_at: 1 },
	},
});

/** What the API shows of a webhook; the order of the fields is part of the interface. */
export function toWebhook(document: WebhookDocument): Webhook {
	return {
		id: document._id,
		url: document.url,
		events: document.events,
		description: document.description,
		enabled: document.enabled,
		disabled_reason: document.disabled_reason,
		disabled_at: document.disabled_at,
		failing_since: document.failing_since === 0 ? null : timestamp(document.failing_since),
		missed: document.missed,
		version: document.version,
		created_at: document.created_at,
		updated_at: document.updated_at,
	};
}
