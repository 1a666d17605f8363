import type { Connection, Model } from 'mongoose';
import type { Clock } from '../../../../shared/engine/clock.ts';
import { Counter, type CounterRow, counterModel } from '../../../../shared/store/counter.ts';
import { prepareModels, whenAvailable } from '../../../../shared/store/prepare-models.ts';
import { type EventModel, EventStore, eventModel } from '../../log/event-store.ts';
import { type DeliveryModel, deliveryModel } from './delivery.model.ts';
import { DeliveryStore } from './delivery-store.ts';
import { EndpointStore } from './endpoint-store.ts';
import { QueueStore } from './queue-store.ts';
import { QueueTime } from './queue-time.ts';
import { type WebhookDocument, type WebhookModel, webhookModel } from './webhook.model.ts';
import { filler, urlAllotmentsOf } from './webhook-states.ts';

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

/** ms that the store may be away */
const PATIENCE = 8_000;

/**
 * Gives webhooks of version 0.1 the fields that came with 0.2, before the unique index on `url_place` is made. The first
 * five enabled webhooks of an account and URL get its allotments; any others stay as they are until they are changed. It
 * may be repeated, also after it ended half-way.
 */
async function bringForward(webhooks: WebhookModel): Promise<void> {
	await whenAvailable(() => webhooks.createCollection(), PATIENCE);
	const old = await whenAvailable(
		() =>
			webhooks
				.find({ url_place: null as unknown as string })
				.sort({ _id: 1 })
				.setOptions({ everyAccount: true })
				.lean<WebhookDocument[]>(),
		PATIENCE,
	);
	for (const { _id, account_id, url, enabled, deleted_at, version } of old) {
		const url_place = enabled && deleted_at === null ? await firstFree(webhooks, account_id, url) : undefined;
		const fields = { url_place: url_place ?? filler(_id), past: [], epoch: version, missed: null };
		await webhooks.updateOne({ _id, account_id }, { $set: fields });
	}
}

async function firstFree(webhooks: WebhookModel, account_id: string, url: string): Promise<string | undefined> {
	const allotments = urlAllotmentsOf(account_id, url);
	const held = await webhooks.find({ account_id, url_place: { $in: allotments } }).lean<WebhookDocument[]>();
	return allotments.find((each) => !held.some(({ url_place }) => url_place === each));
}
