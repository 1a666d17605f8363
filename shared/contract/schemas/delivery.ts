import { EventType } from './event.ts';
import { Pagination } from './pagination.ts';
import { Id, Nullable, type Static, Timestamp, Type } from './schema.ts';
import { TEST_EVENT } from './webhook.ts';

export const DeliveredType = Type.Union([...EventType.anyOf, Type.Literal(TEST_EVENT)]);
export type DeliveredType = Static<typeof DeliveredType>;

export const DeliveryStatus = Type.Union([Type.Literal('pending'), Type.Literal('delivered'), Type.Literal('failed')]);
export type DeliveryStatus = Static<typeof DeliveryStatus>;

export const DeliveryAttempt = Type.Object({
	at: Timestamp('When it began'),
	duration: Type.Integer({ minimum: 0, description: 'ms' }),
	status: Nullable(Type.Integer(), { description: 'HTTP status of the answer; null where there was none' }),
	error: Nullable(Type.String(), { description: 'Why there is no complete answer; null where there is one' }),
});
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

export const Delivery = Type.Object({
	id: Id('Delivery'),
	webhook_id: Id('Webhook'),
	event_id: Type.String({ description: 'Sent as `webhook-id`, the same in every attempt', examples: ['evt_1_1'] }),
	event_type: DeliveredType,
	sequence: Nullable(Type.Integer({ minimum: 1 }), { description: 'Of the event; null for a test' }),
	status: DeliveryStatus,
	attempts: Type.Array(DeliveryAttempt, { description: 'The last 20, oldest first' }),
	next_attempt_at: Nullable(Timestamp('When it is tried next, at the earliest; null where it is not')),
	created_at: Timestamp('When it was queued'),
});
export type Delivery = Static<typeof Delivery>;

export const DeliveryFilters = Type.Object({
	status: Type.Optional(DeliveryStatus),
	event_type: Type.Optional(DeliveredType),
});
export type DeliveryFilters = Static<typeof DeliveryFilters>;

export const DeliveryList = Type.Object({ deliveries: Type.Array(Delivery), pagination: Pagination });
export type DeliveryList = Static<typeof DeliveryList>;
