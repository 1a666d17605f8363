import { EventType } from './event.ts';
import { Pagination } from './pagination.ts';
import { ExpectedVersion, Id, Nullable, type Static, Text, Timestamp, Type, Version } from './schema.ts';

/** Webhooks of an account (contract §8) */
export const WEBHOOKS_LIMIT = 25;
/** Of those, enabled for one URL: who posts to one server 25 times over does not do it for itself */
export const ENABLED_PER_URL = 5;

/** The type of what POST /v1/webhooks/{id}/test sends; it is not in the feed and cannot be chosen. */
export const TEST_EVENT = 'webhook.test';

const Url = Text(2048, {
	minLength: 1,
	description: 'Where events are posted to: https, at a public address',
	examples: ['https://example.com/hooks/bookings'],
});
const Events = Type.Array(Type.Union([...EventType.anyOf, Type.Literal('*')]), {
	minItems: 1,
	maxItems: 6,
	description: 'Types of events that are sent; `["*"]` for all, also for those that will be added',
	examples: [['booking.created', 'booking.cancelled']],
});
const Description = Nullable(Text(255), {
	description: 'At most 255 characters',
	examples: ['Calendar of the front desk'],
});
const Enabled = Type.Boolean({ description: 'Nothing is sent and nothing is queued while it is false' });

export const DisabledReason = Type.Union([Type.Literal('requested'), Type.Literal('gone'), Type.Literal('failing')]);
export type DisabledReason = Static<typeof DisabledReason>;

export const Webhook = Type.Object({
	id: Id('Webhook'),
	url: Url,
	events: Events,
	description: Description,
	enabled: Enabled,
	disabled_reason: Nullable(DisabledReason, {
		description:
			'`requested`: by a client · `gone`: the endpoint answered 410 · `failing`: every attempt of five days failed · ' +
			'null: it is enabled',
	}),
	disabled_at: Nullable(Timestamp('When it was disabled')),
	failing_since: Nullable(Timestamp('Since when every attempt failed; null where the last one did not')),
	missed: Nullable(
		Type.Object({
			first: Type.Integer({ minimum: 1, description: 'Sequence of the first of them' }),
			last: Type.Integer({ minimum: 1, description: 'Sequence of the last of them' }),
		}),
		{
			description:
				'Events that were no longer kept when their turn came, and so were not sent: read the bookings anew. null: ' +
				'there are none since it was enabled',
		},
	),
	version: Version,
	created_at: Timestamp('When it was made'),
	updated_at: Timestamp('When it was last changed'),
});
export type Webhook = Static<typeof Webhook>;

export const WebhookWithSecret = Type.Object({
	...Webhook.properties,
	secret: Type.String({
		description: 'Signs the deliveries, by Standard Webhooks 1.0. Shown this once',
		examples: ['whsec_3q2+7wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhs='],
	}),
});
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const CreateWebhook = Type.Object({
	url: Url,
	events: Type.Optional(Nullable(Events, { description: 'Types of events that are sent; `["*"]`, all, if left out' })),
	description: Type.Optional(Description),
	enabled: Type.Optional(Nullable(Enabled, { description: 'true if left out' })),
});
export type CreateWebhook = Static<typeof CreateWebhook>;

export const UpdateWebhook = Type.Object({
	url: Type.Optional(Url),
	events: Type.Optional(Events),
	description: Type.Optional(Description),
	enabled: Type.Optional(Enabled),
	version: Type.Optional(ExpectedVersion),
});
export type UpdateWebhook = Static<typeof UpdateWebhook>;

export const WebhookList = Type.Object({ webhooks: Type.Array(Webhook), pagination: Pagination });
export type WebhookList = Static<typeof WebhookList>;

export const RecoverWebhook = Type.Object({
	since: Timestamp('Deliveries that failed then or later are sent again'),
});
export type RecoverWebhook = Static<typeof RecoverWebhook>;
