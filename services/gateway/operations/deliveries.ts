import { Delivery, DeliveryFilters, DeliveryList } from '../../../shared/contract/schemas/delivery.ts';
import { DEFAULT_PAGE_SIZE, Page, PageSize, pagination } from '../../../shared/contract/schemas/pagination.ts';
import { Id, Type } from '../../../shared/contract/schemas/schema.ts';
import { RecoverWebhook } from '../../../shared/contract/schemas/webhook.ts';
import { deliveryExample } from './examples.ts';
import { type Operation, operation } from './operation.ts';
import { DELIVERIES_A_PIECE, inPieces, offsetOf, paginationOf } from './pieces.ts';

const path = Type.Object({ webhookID: Id('Webhook') });

const queued: Delivery = {
	...deliveryExample,
	status: 'pending',
	attempts: [],
	next_attempt_at: '2026-11-21T09:30:00.110Z',
};

/** In the order of the reference. */
export const deliveriesOperations: readonly Operation[] = [
	operation({
		id: 'testWebhook',
		method: 'POST',
		path: '/v1/webhooks/{webhookID}/test',
		action: 'notifications.testWebhook',
		scope: 'write',
		tag: 'Webhooks',
		summary: 'Send a test to a webhook',
		description:
			'Queues a `webhook.test`, which is sent once. It is not in the feed and has no `sequence`. What came of it is ' +
			'among the deliveries.',
		parameters: { path },
		answer: {
			status: 202,
			schema: Delivery,
			description: 'It is queued',
			example: { ...queued, event_id: 'evt_test_4fJq0TzK8mNwYc1B', event_type: 'webhook.test', sequence: null },
		},
		errors: ['webhook_not_found', 'webhook_disabled'],
		headers: {},
		async run({ path: { webhookID }, call }) {
			return { data: await call('notifications.testWebhook', { webhook_id: webhookID }) };
		},
	}),
	operation({
		id: 'listDeliveries',
		method: 'GET',
		path: '/v1/webhooks/{webhookID}/deliveries',
		action: 'notifications.listDeliveries',
		scope: 'read',
		highResource: true,
		tag: 'Webhooks',
		summary: 'List the deliveries of a webhook',
		description:
			'What was sent, is to be sent, or could not be sent, by id, with its attempts. The filters can be combined. ' +
			'Deliveries are kept for 30 days.',
		parameters: {
			path,
			query: Type.Object({
				page: Type.Optional(Page),
				page_size: Type.Optional(PageSize),
				...DeliveryFilters.properties,
			}),
		},
		answer: {
			status: 200,
			schema: DeliveryList,
			description: 'One page of deliveries',
			example: { deliveries: [deliveryExample], pagination: pagination(1, DEFAULT_PAGE_SIZE, 1) },
		},
		errors: ['webhook_not_found'],
		headers: {},
		async run({ path: { webhookID }, query: { page = 1, page_size = DEFAULT_PAGE_SIZE, ...filters }, call }) {
			const offset = offsetOf(page, page_size);
			const sizes = { first: DELIVERIES_A_PIECE, next: DELIVERIES_A_PIECE };
			const { rows, total } = await inPieces<Delivery>(page_size, sizes, async (limit, last) => {
				const asked = { webhook_id: webhookID, filters, offset, limit, after: last?.id };
				const { deliveries, total_items } = await call('notifications.listDeliveries', asked);
				return { rows: deliveries, total: total_items };
			});
			return { data: { deliveries: rows, pagination: paginationOf(page, page_size, rows.length, total) } };
		},
	}),
	operation({
		id: 'redeliver',
		method: 'POST',
		path: '/v1/webhooks/{webhookID}/deliveries/{deliveryID}/redeliver',
		action: 'notifications.redeliver',
		scope: 'write',
		tag: 'Webhooks',
		summary: 'Send a delivery again',
		description: 'Queues it again, whatever became of it, with its `webhook-id` and the whole schedule of retries.',
		parameters: { path: Type.Object({ webhookID: Id('Webhook'), deliveryID: Id('Delivery') }) },
		answer: { status: 202, schema: Delivery, description: 'It is queued', example: queued },
		errors: ['webhook_not_found', 'delivery_not_found', 'webhook_disabled', 'events_expired'],
		headers: {},
		async run({ path: { webhookID, deliveryID }, call }) {
			return { data: await call('notifications.redeliver', { webhook_id: webhookID, delivery_id: deliveryID }) };
		},
	}),
	operation({
		id: 'recoverWebhook',
		method: 'POST',
		path: '/v1/webhooks/{webhookID}/recover',
		action: 'notifications.recoverWebhook',
		scope: 'write',
		tag: 'Webhooks',
		summary: 'Send again what failed',
		description: 'Every delivery that failed at `since` or later is queued again, each with its `webhook-id`.',
		parameters: { path },
		body: { schema: RecoverWebhook, resource: RecoverWebhook, example: { since: '2026-11-20T00:00:00.000Z' } },
		answer: { status: 202, schema: Type.Literal('ok'), description: 'They are being queued', example: 'ok' },
		errors: ['webhook_not_found', 'webhook_disabled'],
		headers: {},
		async run({ path: { webhookID }, body, call }) {
			return { data: await call('notifications.recoverWebhook', { webhook_id: webhookID, body }) };
		},
	}),
];
