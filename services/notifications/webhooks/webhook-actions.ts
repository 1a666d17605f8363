import type { Handlers } from '../../../shared/contract/actions.ts';
import { Deadline } from '../../../shared/work/deadline.ts';
import { listDeliveries } from './deliveries/list-deliveries.ts';
import { recoverWebhook } from './deliveries/recover-webhook.ts';
import { redeliver } from './deliveries/redeliver.ts';
import { sendTest } from './deliveries/send-test.ts';
import { createWebhook } from './endpoints/create-webhook.ts';
import { deleteWebhook, noteDeletionAnswered } from './endpoints/delete-webhook.ts';
import { getWebhook } from './endpoints/get-webhook.ts';
import { listWebhooks } from './endpoints/list-webhooks.ts';
import { rotateSecret } from './endpoints/rotate-secret.ts';
import { updateWebhook } from './endpoints/update-webhook.ts';
import { enableAny, latestDeliveries, redeliverAny } from './operators/act-for-account.ts';
import { listReports } from './operators/list-reports.ts';
import { showBacklog } from './operators/show-backlog.ts';
import type { Webhooks } from './webhooks.ts';

type EventActions = 'append' | 'listEvents' | 'tailEvents';

/** What notifications offers about webhooks. */
export function webhookActions(webhooks: Webhooks): Omit<Handlers<'notifications'>, EventActions> {
	const { store } = webhooks;
	return {
		createWebhook: (context) => createWebhook(webhooks, context.params, Deadline.of(context)),
		listWebhooks: ({ params }) => listWebhooks(store, params),
		getWebhook: ({ params }) => getWebhook(store, params),
		updateWebhook: ({ params }) => updateWebhook(webhooks, params),
		deleteWebhook: (context) => deleteWebhook(webhooks, context.params, Deadline.of(context)),
		deletionAnswered: ({ params }) => noteDeletionAnswered(store, params),
		rotateWebhookSecret: ({ params }) => rotateSecret(webhooks, params),
		listDeliveries: ({ params }) => listDeliveries(store, params),
		redeliver: ({ params }) => redeliver(webhooks, params),
		testWebhook: ({ params }) => sendTest(webhooks, params),
		recoverWebhook: ({ params }) => recoverWebhook(webhooks, params),
		webhookReports: ({ params }) => listReports(store, params),
		latestDeliveries: ({ params }) => latestDeliveries(store, params),
		redeliverAny: ({ params }) => redeliverAny(webhooks, params),
		enableWebhook: ({ params }) => enableAny(webhooks, params),
		backlog: () => showBacklog(store),
	};
}
