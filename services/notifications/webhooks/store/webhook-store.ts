import type { Connection, Model } from 'mongoose';
import type { Clock } from '../../../../shared/engine/clock.ts';
import { Counter, type CounterRow, counterModel } from '../../../../shared/store/counter.ts';
import { prepareModels } from '../../../../shared/store/prepare-models.ts';
import { type EventModel, eventModel } from '../../log/event.model.ts';
import { bringForward } from './bring-forward.ts';
import { type DeliveryModel, deliveryModel } from './delivery.model.ts';
import { QueueTime } from './queue-time.ts';
import { type WebhookModel, webhookModel } from './webhook.model.ts';

/** The collections of webhooks and their deliveries, beside the event log that they come from. */
export class WebhookStore {
	readonly webhooks: WebhookModel;
	readonly deliveries: DeliveryModel;
	readonly events: EventModel;
	readonly clock: Clock;
	/** Of what is due, and when */
	readonly time: QueueTime;
	readonly #counters: Model<CounterRow>;
	readonly #webhookIds: Counter;
	readonly #deliveryIds: Counter;

	constructor(connection: Connection, clock: Clock) {
		this.webhooks = webhookModel(connection);
		this.deliveries = deliveryModel(connection);
		this.events = eventModel(connection);
		this.clock = clock;
		this.#counters = counterModel(connection, 'notifications_counters');
		this.time = new QueueTime(this.#counters, clock);
		this.#webhookIds = new Counter(this.#counters, 'webhooks');
		this.#deliveryIds = new Counter(this.#counters, 'deliveries');
	}

	/** Collections and indexes, verified: to be awaited before any traffic (promise L9). */
	async prepare(): Promise<void> {
		await bringForward(this.webhooks);
		await prepareModels([this.webhooks, this.deliveries, this.#counters]);
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
