import { call } from '../../shared/bus/call.ts';
import type { Delivery } from '../../shared/contract/schemas/delivery.ts';
import { accountId, id } from '../line/arguments.ts';
import { accepted, assertKnownAccount, command, recordCommand } from '../line/command.ts';
import { table } from '../tables.ts';

const webhook = { meaning: 'Id of the webhook', parse: id };

export const webhooksList = command({
	name: 'webhooks list',
	summary: 'an account’s webhooks: whether they are enabled and why not, what waits, what failed',
	parameters: { account: { meaning: 'Id of the account', parse: accountId } },
	options: {},
	needs: ['accounts', 'notifications'],
	async run(broker, { account: account_id }) {
		await assertKnownAccount(broker, account_id);
		const webhooks = await call(broker, 'notifications.webhookReports', { account_id });
		const rows = webhooks.map(({ id, enabled, disabled_reason, failing_since, waiting, failed, events, url }) => [
			id,
			enabled ? 'enabled' : `disabled: ${disabled_reason}`,
			failing_since ?? '',
			waiting,
			failed,
			events.join(' '),
			url,
		]);
		const headings = ['webhook', 'state', 'failing since', 'waiting', 'failed', 'events', 'URL'];
		return { data: webhooks, text: webhooks.length === 0 ? 'no webhooks' : table(headings, rows) };
	},
});

export const webhooksDeliveries = command({
	name: 'webhooks deliveries',
	summary: 'a webhook’s last 50 deliveries with what came of them',
	parameters: { webhook },
	options: {},
	needs: ['notifications'],
	async run(broker, { webhook: webhook_id }) {
		const deliveries = accepted(await call(broker, 'notifications.latestDeliveries', { webhook_id }));
		const headings = ['delivery', 'event', 'type', 'status', 'attempts', 'last answer', 'next attempt'];
		const rows = deliveries.map((one) => [
			one.id,
			one.event_id,
			one.event_type,
			one.status,
			one.attempts.length,
			lastAnswer(one),
			one.next_attempt_at ?? '',
		]);
		return { data: deliveries, text: deliveries.length === 0 ? 'no deliveries' : table(headings, rows) };
	},
});

export const webhooksRedeliver = command({
	name: 'webhooks redeliver',
	summary: 'sends a delivery again',
	parameters: { delivery: { meaning: 'Id of the delivery', parse: id } },
	options: {},
	needs: ['notifications'],
	async run(broker, { delivery: delivery_id }) {
		await recordCommand(broker, 'delivery.repeated', String(delivery_id));
		const queued = accepted(await call(broker, 'notifications.redeliverAny', { delivery_id }));
		return { data: queued, text: `${queued.event_id} is queued for webhook ${queued.webhook_id} again.` };
	},
});

export const webhooksEnable = command({
	name: 'webhooks enable',
	summary: 'enables a webhook; it goes on with the next event',
	parameters: { webhook },
	options: {},
	needs: ['notifications'],
	async run(broker, { webhook: webhook_id }) {
		await recordCommand(broker, 'webhook.enabled', String(webhook_id));
		const enabled = accepted(await call(broker, 'notifications.enableWebhook', { webhook_id }));
		return { data: enabled, text: `Webhook ${enabled.id} is enabled.` };
	},
});

function lastAnswer({ attempts }: Delivery): string {
	const last = attempts.at(-1);
	return last === undefined ? '' : (last.error ?? String(last.status));
}
