import type { Connection, Model } from 'mongoose';
import type { Clock } from '../../../../shared/engine/clock.ts';
import { Counter, type CounterRow, counterModel } from '../../../../shared/store/counter.ts';
import { prepareModels } from '../../../../shared/store/prepare-models.ts';
import { type EventModel, eventModel } from '../../log/event.model.ts';
import { EventStore } from '../../log/event-store.ts';
import { bringForward } from './bring-forward.ts';
import { type DeliveryModel, deliveryModel } from './delivery.model.ts';
import { DeliveryStore } from './delivery-store.ts';
import { EndpointStore } from './endpoint-store.ts';
import { QueueStore } from './queue-store.ts';
import { QueueTime } from './queue-time.ts';
import { type WebhookModel, webhookModel } from './webhook.model.ts';

/**
 * All that is stored of webhooks: the endpoints that clients see, their queues, their deliveries, and the event log that
 * these come from.
 */
export class WebhookStore {
	readonly endpoints: EndpointStore;
	readonly queues: QueueStore;
	readonly deliveries: DeliveryStore;
	readonly events: EventStore;
	readonly clock: Clock;
	/** Of what is due, and when */
	readonly time: QueueTime;
	/** The collections, for whoever makes their indexes */
	readonly models: { webhooks: WebhookModel; deliveries: DeliveryModel; events: EventModel };
	readonly #counters: Model<CounterRow>;
	readonly #webhookIds: Counter;
	readonly #deliveryIds: Counter;

	constructor(connection: Connection, clock: Clock) {
		const webhooks = webhookModel(connection);
		const deliveries = deliveryModel(connection);
		const events = eventModel(connection);
		this.models = { webhooks, deliveries, events };
		this.#counters = counterModel(connection, 'notifications_counters');
		this.endpoints = new EndpointStore(webhooks);
		this.queues = new QueueStore(webhooks);
		this.deliveries = new DeliveryStore(deliveries);
		this.events = new EventStore(events);
		this.clock = clock;
		this.time = new QueueTime(this.#counters, clock);
		this.#webhookIds = new Counter(this.#counters, 'webhooks');
		this.#deliveryIds = new Counter(this.#counters, 'deliveries');
	}

	/** Collections and indexes, verified: to be awaited before any traffic (promise L9). */
	async prepare(): Promise<void> {
		const { webhooks, deliveries, events } = this.models;
		await bringForward(webhooks);
		await prepareModels([webhooks, deliveries, events, this.#counters]);
		await this.time.open();
	}

	nextWebhookId(): Promise<number> {
		return this.#webhookIds.nextIds(1);
	}

	/** @returns the first of `count` consecutive ids */
	nextDeliveryIds(count: number): Promise<number> {
		return this.#deliveryIds.nextIds(count);
	}
}
