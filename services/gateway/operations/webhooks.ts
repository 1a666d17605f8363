import { DEFAULT_PAGE_SIZE, Page, PageSize, pagination } from '../../../shared/contract/schemas/pagination.ts';
import { Id, Type } from '../../../shared/contract/schemas/schema.ts';
import {
	CreateWebhook,
	UpdateWebhook,
	Webhook,
	WebhookList,
	WebhookWithSecret,
} from '../../../shared/contract/schemas/webhook.ts';
import type { Faults } from '../validation/faults.ts';
import { webhookExample, webhookWithSecretExample } from './examples.ts';
import { type Operation, type Outcome, operation } from './operation.ts';

const path = Type.Object({ webhookID: Id('Webhook') });

const single = (webhook: Webhook): Outcome => ({ data: webhook, version: webhook.version });

/** In the order of the reference. */
export const webhooksOperations: readonly Operation[] = [
	operation({
		id: 'createWebhook',
		method: 'POST',
		path: '/v1/webhooks',
		action: 'notifications.createWebhook',
		scope: 'write',
		tag: 'Webhooks',
		summary: 'Create a webhook',
		description:
			'Events are posted to its URL from now on, signed by Standard Webhooks 1.0. The answer has the secret, which is ' +
			'shown this once. An account has at most 25 webhooks, of which at most 5 are enabled for one URL.',
		body: {
			schema: CreateWebhook,
			resource: WebhookWithSecret,
			example: {
				url: webhookExample.url,
				events: webhookExample.events,
				description: webhookExample.description,
				enabled: true,
			},
		},
		answer: {
			status: 201,
			schema: WebhookWithSecret,
			description: 'The new webhook with its secret',
			example: webhookWithSecretExample,
		},
		errors: ['webhooks_limit_reached', 'webhooks_per_url_reached', 'idempotency_key_reused', 'request_in_progress'],
		headers: { etag: true, location: true, idempotencyKey: true },
		check: ({ body }, faults) => checkEvents(body.events, faults),
		async run({ body, idempotency, call }) {
			const { data, replayed } = await call('notifications.createWebhook', { body, idempotency });
			return { ...single(data), replayed, location: `/v1/webhooks/${data.id}` };
		},
	}),
	operation({
		id: 'listWebhooks',
		method: 'GET',
		path: '/v1/webhooks',
		action: 'notifications.listWebhooks',
		scope: 'read',
		tag: 'Webhooks',
		summary: 'List webhooks',
		description: "Lists the account's webhooks by id, without their secrets.",
		parameters: { query: Type.Object({ page: Type.Optional(Page), page_size: Type.Optional(PageSize) }) },
		answer: {
			status: 200,
			schema: WebhookList,
			description: 'One page of webhooks',
			example: { webhooks: [webhookExample], pagination: pagination(1, DEFAULT_PAGE_SIZE, 1) },
		},
		errors: [],
		headers: {},
		async run({ query: { page = 1, page_size = DEFAULT_PAGE_SIZE }, call }) {
			return { data: await call('notifications.listWebhooks', { page, page_size }) };
		},
	}),
	operation({
		id: 'getWebhook',
		method: 'GET',
		path: '/v1/webhooks/{webhookID}',
		action: 'notifications.getWebhook',
		scope: 'read',
		tag: 'Webhooks',
		summary: 'Get a webhook',
		description:
			'Tells whether it is enabled, and if not, why. Always sent whole: `failing_since` and `missed` have no version.',
		parameters: { path },
		answer: { status: 200, schema: Webhook, description: 'The webhook', example: webhookExample },
		errors: ['webhook_not_found'],
		headers: { etag: true },
		async run({ path: { webhookID }, call }) {
			return single(await call('notifications.getWebhook', { webhook_id: webhookID }));
		},
	}),
	operation({
		id: 'updateWebhook',
		method: 'PATCH',
		path: '/v1/webhooks/{webhookID}',
		action: 'notifications.updateWebhook',
		scope: 'write',
		tag: 'Webhooks',
		summary: 'Update a webhook',
		description:
			'Changes the fields that are sent. Each event is judged by the `events` that held when it happened; no request ' +
			'leaves for an old `url` behind the answer, but one that is under way, and a new one starts with a clean record. ' +
			'One that is disabled gives up what waits in its queue; one that is enabled again goes on with the next event. ' +
			'What happened meanwhile is in `GET /v1/events`.',
		parameters: { path },
		body: { schema: UpdateWebhook, resource: WebhookWithSecret, example: { description: 'Calendar of the school' } },
		answer: {
			status: 200,
			schema: Webhook,
			description: 'The webhook as it is now',
			example: { ...webhookExample, description: 'Calendar of the school', version: 2 },
		},
		errors: ['webhook_not_found', 'webhooks_per_url_reached', 'version_mismatch', 'version_conflict'],
		headers: { etag: true, ifMatch: true },
		check: ({ body }, faults) => checkEvents(body.events, faults),
		async run({ path: { webhookID }, body, ifMatch, call }) {
			return single(await call('notifications.updateWebhook', { webhook_id: webhookID, body, if_match: ifMatch }));
		},
	}),
	operation({
		id: 'deleteWebhook',
		method: 'DELETE',
		path: '/v1/webhooks/{webhookID}',
		action: 'notifications.deleteWebhook',
		scope: 'write',
		tag: 'Webhooks',
		summary: 'Delete a webhook',
		description: 'Removes the webhook and its deliveries; no further attempt begins.',
		parameters: { path },
		answer: { status: 200, schema: Type.Literal('ok'), description: 'It is gone', example: 'ok' },
		errors: ['webhook_not_found', 'version_mismatch'],
		headers: { ifMatch: true },
		async run({ path: { webhookID }, ifMatch, call }) {
			const data = await call('notifications.deleteWebhook', { webhook_id: webhookID, if_match: ifMatch });
			return { data, sent: () => call('notifications.deletionAnswered', { webhook_id: webhookID }) };
		},
	}),
	operation({
		id: 'rotateWebhookSecret',
		method: 'POST',
		path: '/v1/webhooks/{webhookID}/rotate-secret',
		action: 'notifications.rotateWebhookSecret',
		scope: 'write',
		tag: 'Webhooks',
		summary: 'Rotate the secret of a webhook',
		description:
			'Makes a new secret and shows it this once. The old one signs along for 24 hours, of several the last four.',
		parameters: { path },
		answer: {
			status: 200,
			schema: WebhookWithSecret,
			description: 'The webhook with its new secret',
			example: webhookWithSecretExample,
		},
		errors: ['webhook_not_found'],
		headers: { etag: true },
		async run({ path: { webhookID }, call }) {
			return single(await call('notifications.rotateWebhookSecret', { webhook_id: webhookID }));
		},
	}),
];

function checkEvents(events: Webhook['events'] | null | undefined, faults: Faults): void {
	if (!events) return;
	if (events.includes('*') && events.length > 1) faults.add('events', 'contradiction', '"*" must stand alone');
	else if (new Set(events).size < events.length) faults.add('events', 'repeated', 'must name each type once');
}
