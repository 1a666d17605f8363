import { afterEach } from '@jest/globals';
import { pino } from 'pino';
import { AppendSignals } from '../../../services/notifications/log/append-signals.ts';
import { EventLog } from '../../../services/notifications/log/event-log.ts';
import type { Attempt } from '../../../services/notifications/webhooks/outbound/attempt.ts';
import { TargetGuard } from '../../../services/notifications/webhooks/outbound/find-addresses.ts';
import { NotWanted, type OutboundMessage } from '../../../services/notifications/webhooks/outbound/send.ts';
import { DeliveryEngine } from '../../../services/notifications/webhooks/queue/delivery-engine.ts';
import type { DeliveryDocument } from '../../../services/notifications/webhooks/store/delivery.model.ts';
import type { WebhookDocument } from '../../../services/notifications/webhooks/store/webhook.model.ts';
import { WebhookStore } from '../../../services/notifications/webhooks/store/webhook-store.ts';
import { createWebhook } from '../../../services/notifications/webhooks/use-cases/create-webhook.ts';
import type { Webhooks } from '../../../services/notifications/webhooks/webhooks.ts';
import type { NewEvent } from '../../../shared/contract/actions.ts';
import type { WebhookWithSecret } from '../../../shared/contract/schemas/webhook.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { KeyedQueue } from '../../../shared/engine/keyed-queue.ts';
import { Deadline } from '../../../shared/work/deadline.ts';
import { secretBox } from '../../support/secret-box.ts';
import { until } from '../../support/until.ts';
import type { World } from '../service-world.ts';

/** What an endpoint answers; a promise for one that takes its time. */
export type Answer = { status: number | null; retry_after?: number; duration?: number };
export type Endpoint = (message: OutboundMessage) => Answer | Promise<Answer>;

const running: DeliveryEngine[] = [];
afterEach(async () => {
	await Promise.all(running.splice(0).map((engine) => engine.stop()));
});

/** Webhooks on a store of a test's own, with endpoints that are functions and a clock that a test moves. */
export class EngineWorld {
	readonly world: World;
	readonly store: WebhookStore;
	/** What is stored, read and written past the product */
	readonly rows: WebhookStore['models'];
	readonly webhooks: Webhooks;
	readonly sent: OutboundMessage[] = [];
	/** When each one last asked whether it is still wanted, by `performance.now()` */
	readonly asked = new Map<OutboundMessage, number>();
	/** From 0 to 1, for the jitter */
	random = 0;
	readonly #log: EventLog;
	readonly #signals = new AppendSignals();
	readonly #endpoints = new Map<string, Endpoint>();
	readonly #engines: DeliveryEngine[] = [];

	private constructor(world: World) {
		this.world = world;
		this.store = new WebhookStore(world.store.connection, world.clock);
		this.rows = this.store.models;
		this.#log = new EventLog(this.store.events, world.clock);
		this.webhooks = {
			store: this.store,
			guard: new TargetGuard({ allowPrivate: true }),
			secretBox,
			keyed: new KeyedQueue(),
			changes: new KeyedQueue(),
			changed: (id) => {
				for (const engine of this.#engines) engine.changed(id);
			},
		};
	}

	static async open(world: World): Promise<EngineWorld> {
		const opened = new EngineWorld(world);
		await opened.store.prepare();
		return opened;
	}

	/** The store as another process has it, whose wall clock is wrong by `skew` ms. */
	async storeOf(skew: { ms: number }): Promise<WebhookStore> {
		const { clock } = this.world;
		const wrong = { now: () => clock.now() + skew.ms, monotonic: () => clock.monotonic() };
		const store = new WebhookStore(this.world.store.connection, wrong);
		await store.prepare();
		return store;
	}

	/** One more process that delivers. */
	async engine(store = this.store): Promise<DeliveryEngine> {
		const send = (message: OutboundMessage) => this.#send(message);
		const { webhooks } = this;
		const engine = new DeliveryEngine({
			store,
			signals: this.#signals,
			sender: { send },
			secretBox: webhooks.secretBox,
			logger: pino({ level: 'silent' }),
			random: () => this.random,
		});
		running.push(engine);
		this.#engines.push(engine);
		await engine.start(false);
		return engine;
	}

	/** From then on it keeps no time either: a process that is wrong by an hour would decide what the others go by. */
	async stop(engine: DeliveryEngine): Promise<void> {
		this.#engines.splice(this.#engines.indexOf(engine), 1);
		await engine.stop();
	}

	/** A webhook of the account whose endpoint is `endpoint`. */
	async webhook(account_id: string, endpoint: Endpoint, body: object = {}): Promise<WebhookWithSecret> {
		const number = this.#endpoints.size + 1;
		const url = `http://127.1.${number >> 8}.${number & 255}/${number}`; // each on a host of its own
		this.#endpoints.set(url, endpoint);
		const params = { account_id, body: { url, ...body } };
		return (await createWebhook(this.webhooks, params, new Deadline(60_000))).data;
	}

	/** As the service does it: into the log, then the mark, then word to those who wait. */
	async append(account_id: string, events: NewEvent[]): Promise<void> {
		await this.#log.append(account_id, events, new Deadline(60_000));
		await this.store.queues.markAccounts([account_id]);
		this.#signals.wake(account_id);
		for (const engine of this.#engines) engine.wake();
	}

	/** Moves the clock, and has the engines look. */
	async pass(ms: number): Promise<void> {
		this.world.clock.advance(ms);
		await Promise.all(this.#engines.map((engine) => engine.tick()));
	}

	/** The same second by second, so that no lease runs out. */
	async seconds(count: number): Promise<void> {
		for (let second = 0; second < count; second++) await this.pass(1_000);
	}

	deliveries(account_id: string): Promise<DeliveryDocument[]> {
		return this.rows.deliveries.find({ account_id }).sort({ _id: 1 }).lean<DeliveryDocument[]>();
	}

	async stored(account_id: string, id: number): Promise<WebhookDocument> {
		return (await this.rows.webhooks.findOne({ account_id, _id: id }).lean<WebhookDocument>())!;
	}

	/** Until a webhook is as it should be: what an attempt says of its endpoint is written after the delivery. */
	async becomes(account_id: string, id: number, test: (webhook: WebhookDocument) => boolean): Promise<void> {
		await until(async () => test(await this.stored(account_id, id)), { what: `webhook ${id}` });
	}

	/** Until the account's deliveries are as they should be. */
	settled(account_id: string, test: (deliveries: DeliveryDocument[]) => boolean): Promise<DeliveryDocument[]> {
		return until(
			async () => {
				const deliveries = await this.deliveries(account_id);
				return test(deliveries) && deliveries;
			},
			{ what: `deliveries of ${account_id}` },
		);
	}

	async #send(message: OutboundMessage): Promise<Attempt> {
		const at = timestamp(this.world.clock.now());
		this.asked.set(message, performance.now());
		if ((await message.isWanted?.()) === false) throw new NotWanted();
		this.sent.push(message);
		const { status, retry_after = null, duration = 1 } = await (this.#endpoints.get(message.url) ?? hanging)(message);
		const error = status === null ? 'no answer' : null;
		return { at, duration, status, error, retry_after };
	}
}

/** An endpoint that never answers, until its attempt is given up. */
export const hanging: Endpoint = ({ signal }) =>
	new Promise((resolve) => signal?.addEventListener('abort', () => resolve({ status: null })));

export const id = ({ headers }: OutboundMessage): string => headers['webhook-id']!;
