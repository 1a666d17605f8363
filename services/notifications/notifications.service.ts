import type { Context } from 'moleculer';
import type { Handlers } from '../../shared/contract/actions.ts';
import { KeyedQueue } from '../../shared/engine/keyed-queue.ts';
import { logFailure } from '../../shared/log/log.ts';
import { WebhookMetrics } from '../../shared/metrics/backlog-metrics.ts';
import type { ServiceFactory } from '../../shared/process/dependencies.ts';
import { Deadline } from '../../shared/work/deadline.ts';
import { Periodic } from '../../shared/work/periodic.ts';
import { EventAppender } from './log/append-events.ts';
import { AppendAnnouncer, AppendSignals } from './log/append-signals.ts';
import { erasePerson } from './log/erase-person.ts';
import { EventLog } from './log/event-log.ts';
import { eventsOfPerson } from './log/person-events.ts';
import { listEvents, tailEvents } from './log/read-events.ts';
import { sweepEvents, sweepWebhooks } from './sweep.ts';
import { TargetGuard } from './webhooks/outbound/find-addresses.ts';
import { WebhookSender } from './webhooks/outbound/send.ts';
import { DeliveryEngine } from './webhooks/queue/delivery-engine.ts';
import { WebhookStore } from './webhooks/store/webhook-store.ts';
import { showBacklog } from './webhooks/use-cases/read-webhooks.ts';
import { webhookActions } from './webhooks/webhook-actions.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

/** Broadcast to this service in other processes: these accounts' logs have grown. A hint; it may get lost. */
const APPENDED = 'notifications.appended';
/** ms */
const SWEEP_EVERY = 3_600_000;

/** Each account's event log, the feed that reads it, and the webhooks that it is sent to. */
export const notificationsService: ServiceFactory = (dependencies) => {
	const { config, clock, gate, logger, store, lock, readiness, secretBox, metrics } = dependencies;
	const webhookStore = new WebhookStore(store.connection, clock);
	const { events } = webhookStore;
	const signals = new AppendSignals();
	const announcer = new AppendAnnouncer();
	const appender = new EventAppender(new EventLog(events, clock), lock, (account_id) => {
		signals.wake(account_id);
		if (config.form === 'cluster') announcer.announce(account_id);
	});
	const waiting = { signals, isStopping: () => readiness.isStopping };
	const allowPrivate = config.webhookAllowPrivate;
	const webhookMetrics = new WebhookMetrics(metrics, () => showBacklog(webhookStore));
	const sender = new WebhookSender({ allowPrivate, clock, durable: store.durable, metrics: webhookMetrics });
	const engine = new DeliveryEngine({ store: webhookStore, signals, sender, secretBox, logger });
	const webhooks: Webhooks = {
		store: webhookStore,
		guard: new TargetGuard({ allowPrivate }),
		secretBox,
		keyed: new KeyedQueue(),
		changes: new KeyedQueue(),
		changed: (webhook_id) => engine.changed(webhook_id),
	};

	const sweep = new Periodic({
		every: SWEEP_EVERY,
		async run(signal) {
			const removed = await sweepEvents(events, clock.now(), signal);
			const deliveries = await sweepWebhooks(webhookStore, signal);
			if (removed + deliveries > 0) logger.info({ removed, deliveries }, 'old events and deliveries removed');
		},
		failed: (error) => logFailure(logger, error, 'old events could not be removed; tried again later'),
	});

	const actions: Handlers<'notifications'> = {
		append: async (context) => {
			const { events: appended } = context.params;
			await appender.append(appended, Deadline.of(context));
			const account_ids = [...new Set(appended.map(({ account_id }) => account_id))];
			if (await webhookStore.queues.markAccounts(account_ids)) engine.wake();
			return 'ok';
		},
		listEvents: (context) => listEvents(events, waiting, context.params, Deadline.of(context)),
		tailEvents: ({ params }) => tailEvents(events, params),
		erasePerson: (context) => erasePerson(events, context.params, Deadline.of(context)),
		eventsOfPerson: ({ params }) => eventsOfPerson(webhookStore, params),
		...webhookActions(webhooks),
	};

	return {
		name: 'notifications',
		actions,
		events: {
			[APPENDED]: ({ params }: Context<{ account_ids: string[] }>) => {
				for (const account_id of params.account_ids) signals.wake(account_id);
			},
		},
		async started() {
			await webhookStore.prepare();
			await engine.start(config.form === 'embedded');
			gate?.add(engine);
			announcer.start((account_ids) => this.broker.broadcast(APPENDED, { account_ids }, { groups: ['notifications'] }));
			sweep.start();
		},
		async stopped() {
			await sweep.stop();
			await engine.stop();
			await sender.close();
			announcer.stop();
		},
	};
};
