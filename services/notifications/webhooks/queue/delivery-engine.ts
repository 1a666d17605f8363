import { setTimeout as delay } from 'node:timers/promises';
import { randomBase62 } from '../../../../shared/engine/ids.ts';
import type { Logger } from '../../../../shared/log/log.ts';
import { logFailure } from '../../../../shared/log/log.ts';
import type { SecretBox } from '../../../../shared/secrets/secret-box.ts';
import { within } from '../../../../shared/tracing/tracing.ts';
import { withoutDeadline } from '../../../../shared/work/deadline.ts';
import { untold } from '../../../../shared/work/untold.ts';
import type { AppendSignals } from '../../log/append-signals.ts';
import type { WebhookSender } from '../outbound/send.ts';
import type { QueueKey } from '../store/queue-store.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { currentWebhooks, eventsById, nextEvents } from './fan-out.ts';
import { Leases } from './lease.ts';
import { Lanes, Slots } from './slots.ts';
import { OverdueDeliveries } from './waiting-deliveries.ts';
import { type QueueParts, WebhookQueue } from './webhook-queue.ts';

export interface EngineParts {
	store: WebhookStore;
	signals: AppendSignals;
	sender: Pick<WebhookSender, 'send'>;
	secretBox: SecretBox;
	logger: Logger;
	/** From 0 to 1, for the jitter of retries */
	random?: () => number;
}

/** ms between two looks for queues that others left, or whose retries are due */
const TICK = 1_000;
/** Attempts that a process makes at once */
const ATTEMPTS_AT_ONCE = 512;
/** Queues that a process owns at once; most of them wait for an answer */
const MOST_QUEUES = 10_000;
/** Those of them whose endpoint failed when they were taken; where there are more, the others wait in the store */
const MOST_FAILING = 500;
/** Ticks between two looks for deliveries that nobody looks at */
const TEND_EVERY = 5;
/** Queues that are taken at a time */
const PAGE = 100;
/** ms that running attempts have when the process stops */
const STOP_PATIENCE = 4_000;

/**
 * Delivers what waits in the webhooks' queues. Any number of processes run one each and share the work: each takes queues
 * that nobody owns and that have something to do. An idle one asks the store two small questions a second, and two for each
 * process that is at work, and stores what time it is; one that is alone does that while it has queues.
 */
export class DeliveryEngine {
	readonly #store: WebhookStore;
	readonly #signals: AppendSignals;
	readonly #logger: Logger;
	readonly #leases: Leases;
	readonly #slots = new Slots(ATTEMPTS_AT_ONCE);
	readonly #parts: QueueParts;
	readonly #queues = new Map<number, { queue: WebhookQueue; run: Promise<void> }>();
	readonly #overdue: OverdueDeliveries;
	/** Of the queues, those that were taken as failing */
	#failing = 0;
	#ticks = 0;
	/** No other process works on this store. */
	#alone = false;
	#timer: NodeJS.Timeout | undefined;
	#looking: Promise<void> | undefined;
	#lookAgain = false;
	#stopping = false;
	#paused = false;

	constructor({ store, signals, sender, secretBox, logger, random = Math.random }: EngineParts) {
		this.#store = store;
		this.#signals = signals;
		this.#logger = logger;
		this.#leases = new Leases(store, randomBase62(16));
		this.#parts = {
			...{ store, sender, secretBox, logger, random },
			...{ leases: this.#leases, slots: this.#slots, lanes: new Lanes() },
			current: currentWebhooks(store.queues),
			events: eventsById(store.events),
			next: nextEvents(store.events),
		};
		this.#overdue = new OverdueDeliveries(store);
	}

	/** @param alone whether no other process works on this store: then what is leased is a dead one's */
	async start(alone: boolean): Promise<void> {
		this.#alone = alone;
		if (alone) await Promise.all([this.#store.queues.abandonAll(), this.#store.time.keep(alone)]);
		this.#timer = setInterval(() => void this.tick(), TICK).unref();
		void this.tick();
	}

	/** Keeps its queues, and takes others that have something to do. Never rejects. */
	async tick(): Promise<void> {
		const renewed = this.#queues.size === 0 ? undefined : this.#leases.renew([...this.#queues.keys()]);
		const tended = ++this.#ticks % TEND_EVERY === 1 ? this.#overdue.tend() : undefined;
		const kept = this.#alone && this.#queues.size === 0 ? undefined : this.#store.time.keep();
		const looked = Promise.all([this.#leases.watch(), kept]).then(() => this.look());
		await Promise.all([renewed, looked, tended]).catch((error: unknown) => {
			logFailure(this.#logger, error, 'queues of webhooks could not be looked after; tried again at once');
		});
	}

	/** There may be something to do for a webhook. */
	changed(webhook_id: number): void {
		const running = this.#queues.get(webhook_id);
		if (running) running.queue.changed();
		else this.wake();
	}

	/** A queue was marked. Its work is no part of the request that marked it: it goes on for as long as there is some. */
	wake(): void {
		withoutDeadline(() => untold(() => within(undefined, () => this.look()))).catch((error: unknown) => {
			logFailure(this.#logger, error, 'queues of webhooks could not be looked for; the next look comes in a second');
		});
	}

	/** Begins no further attempt until `resume`, and waits for those under way. */
	async pause(): Promise<void> {
		this.#paused = true;
		await this.#looking?.catch(() => {});
		const running = [...this.#queues.values()];
		for (const { queue } of running) queue.stop();
		await Promise.all(running.map(({ run }) => run));
	}

	resume(): void {
		this.#paused = false;
		this.wake();
	}

	/** Begins no further attempt, waits a little for those under way, and leaves everything to others. */
	async stop(): Promise<void> {
		this.#stopping = true;
		clearInterval(this.#timer);
		await this.#looking?.catch(() => {});
		const running = [...this.#queues.entries()];
		const ended = Promise.all(running.map(([, { run }]) => run));
		for (const [, { queue }] of running) queue.stop();
		const patience = new AbortController();
		const late = delay(STOP_PATIENCE, undefined, { signal: patience.signal }).catch(() => {});
		await Promise.race([ended, late]);
		patience.abort();
		for (const [, { queue }] of running) queue.abort();
		await ended;
	}

	/** What is asked while a look is under way is answered by the next one. */
	async look(): Promise<void> {
		if (this.#looking !== undefined) {
			this.#lookAgain = true;
			return this.#looking;
		}
		this.#looking = this.#takeQueues().finally(() => {
			this.#looking = undefined;
		});
		return this.#looking;
	}

	async #takeQueues(): Promise<void> {
		do {
			this.#lookAgain = false;
			while (this.#hasRoom() && (await this.#takePage()));
		} while (this.#lookAgain && this.#hasRoom());
	}

	/** Where this process has enough to do, other processes take the rest. */
	#hasRoom(): boolean {
		return !this.#stopping && !this.#paused && this.#slots.isFree('well') && this.#queues.size < MOST_QUEUES;
	}

	/** Queues whose endpoint fails are not even owned where they would have to wait: they never keep others out. */
	#hasRoomForFailing(): boolean {
		return this.#slots.isFree('failing') && this.#failing < MOST_FAILING;
	}

	/**
	 * @returns whether there may be more to take. Not where a page brought nothing: after a pause longer than its leases
	 *   a process finds its own queues, until it has renewed them.
	 */
	async #takePage(): Promise<boolean> {
		const { queues, time } = this.#store;
		const wellOnly = !this.#hasRoomForFailing();
		const pages = await Promise.all([
			queues.due(time.now(), wellOnly, PAGE),
			...this.#leases.left.map((left) => queues.left(left, wellOnly, PAGE)),
		]);
		const others = new Map(pages.flat().map((key) => [key._id, key]));
		if (others.size > 0 && this.#queues.size === 0) await time.keep(); // before retries go by it
		const taken = await Promise.all([...others.values()].map((key) => !this.#queues.has(key._id) && this.#take(key)));
		return taken.includes(true) && pages.some(({ length }) => length === PAGE);
	}

	/** @returns false where somebody was faster */
	async #take(key: QueueKey): Promise<boolean> {
		if (!(await this.#leases.take(key))) return false;
		if (this.#stopping || this.#paused) {
			await this.#leases.abandon([key._id]);
			return false;
		}
		const queue = new WebhookQueue(this.#parts, key, this.#signals.watch(key.account_id));
		const isFailing = key.failing_since > 0;
		if (isFailing) this.#failing++;
		const run = queue.run().finally(() => {
			this.#queues.delete(key._id);
			if (isFailing) this.#failing--;
		});
		this.#queues.set(key._id, { queue, run });
		return true;
	}
}
