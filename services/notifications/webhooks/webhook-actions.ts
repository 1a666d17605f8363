import type { Handlers } from '../../../shared/contract/actions.ts';
import { Deadline } from '../../../shared/work/deadline.ts';
import { enableAny, latestDeliveries, redeliverAny } from './use-cases/act-for-account.ts';
import { deleteWebhook, rotateSecret, updateWebhook } from './use-cases/change-webhook.ts';
import { createWebhook } from './use-cases/create-webhook.ts';
import { getWebhook, listDeliveries, listReports, listWebhooks, showBacklog } from './use-cases/read-webhooks.ts';
import { recoverWebhook, redeliver, sendTest } from './use-cases/redeliver.ts';
import { rewrapSecrets } from './use-cases/rewrap-secrets.ts';
import type { Webhooks } from './webhooks.ts';

type EventActions = 'append' | 'listEvents' | 'tailEvents' | 'eventsOfPerson' | 'erasePerson';

/** What notifications offers about webhooks. */
export function webhookActions(webhooks: Webhooks): Omit<Handlers<'notifications'>, EventActions> {
	const { store } = webhooks;
	return {
		createWebhook: (context) => createWebhook(webhooks, context.params, Deadline.of(context)),
		listWebhooks: ({ params }) => listWebhooks(store, params),
		getWebhook: ({ params }) => getWebhook(store, params),
		updateWebhook: ({ params }) => updateWebhook(webhooks, params),
		deleteWebhook: (context) => deleteWebhook(webhooks, context.params, Deadline.of(context)),
		deletionAnswered: ({ params }) => store.endpoints.noteDeletionAnswered(params),
		rotateWebhookSecret: ({ params }) => rotateSecret(webhooks, params),
		listDeliveries: ({ params }) => listDeliveries(store, params),
		redeliver: ({ params }) => redeliver(webhooks, params),
		testWebhook: ({ params }) => sendTest(webhooks, params),
		recoverWebhook: ({ params }) => recoverWebhook(webhooks, params),
		webhookReports: ({ params }) => listReports(store, params),
		latestDeliveries: ({ params }) => latestDeliveries(store, params),
		redeliverAny: ({ params }) => redeliverAny(webhooks, params),
		enableWebhook: ({ params }) => enableAny(webhooks, params),
		secretKeys: async () => ({ keys: webhooks.secretBox.keyIds }),
		rewrapSecrets: ({ params }) => rewrapSecrets(webhooks, params),
		backlog: () => showBacklog(store),
	};
}
