import { setTimeout as delay } from 'node:timers/promises';
import type { DisabledReason } from '../../../../shared/contract/schemas/webhook.ts';
import type { Gatherer } from '../../../../shared/engine/gatherer.ts';
import { logFailure } from '../../../../shared/log/log.ts';
import type { Watch } from '../../log/append-signals.ts';
import { type Attempt, isDelivered } from '../outbound/attempt.ts';
import type { DeliveryDocument } from '../store/delivery.model.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import { type AttemptParts, attemptDelivery } from './attempt-delivery.ts';
import type { WebhookKey, WebhookState } from './current-webhooks.ts';
import { DueDeliveries, nextDue } from './due-deliveries.ts';
import { noteHealth } from './endpoint-health.ts';
import { fanOut } from './fan-out.ts';
import { failWaiting, removeDeliveries } from './give-up.ts';
import type { Lanes } from './lanes.ts';
import type { Leases } from './lease.ts';
import { markWebhook } from './mark-webhooks.ts';
import type { EventPage, EventPosition } from './next-events.ts';
import { recordAttempt } from './record-attempt.ts';
import { recoverFailed } from './recover-failed.ts';
import type { Slots } from './slots.ts';
import { Window } from './window.ts';

export interface QueueParts extends AttemptParts {
	leases: Leases;
	slots: Slots;
	lanes: Lanes;
	current: Gatherer<WebhookKey, WebhookState | null>;
	next: Gatherer<EventPosition, EventPage>;
	/** From 0 to 1 */
	random(): number;
}

/** ms after which a busy queue looks at its webhook and the log again, whatever it was told */
const LOOK_AGAIN = 100;
/** ms that a queue waits for its attempts before it looks again; a signal may get lost between processes */
const PATIENCE = 1_000;
/** ms that a queue waits for its turn before it looks again */
const TURN_PATIENCE = 10_000;
/** ms; longest pause after a failure of the store */
const LONGEST_PAUSE = 30_000;

/**
 * The queue of one webhook, while this process owns it: it takes the log's events in, attempts what is due, a few at a
 * time, and gives the queue back when it is empty for now. All that it knows is in the store; where it dies, the next
 * owner goes on, and at most repeats what was under way.
 */
export class WebhookQueue {
	readonly #parts: QueueParts;
	readonly #id: number;
	readonly #account_id: string;
	readonly #watch: Watch;
	#window = new Window();
	/** Of the endpoint that the window is about */
	#epoch = 0;
	readonly #underWay = new Map<number, Promise<void>>();
	readonly #ending = new AbortController();
	readonly #stopped = new AbortController();
	/** What was read of the webhook is known not to hold any more. */
	#stale = false;
	/** In a row: of the store, or bugs */
	#failures = 0;
	#failure: unknown;
	#attemptEnded: (() => void) | undefined;
	/** While it waits for its turn */
	#turn: AbortController | undefined;

	/** @param watch hears of the account's events */
	constructor(parts: QueueParts, { _id, account_id }: Pick<WebhookDocument, '_id' | 'account_id'>, watch: Watch) {
		this.#parts = parts;
		this.#id = _id;
		this.#account_id = account_id;
		this.#watch = watch;
	}

	/** Until it is empty, lost or stopped. Never rejects. */
	async run(): Promise<void> {
		for (let goOn = true; goOn && !this.#stopped.signal.aborted; ) {
			try {
				goOn = await this.#round();
			} catch (error) {
				await this.#pause(error);
			}
		}
		await Promise.all(this.#underWay.values());
		this.#watch.close();
		// Where it was given back, or another process has it, this does nothing; where it only ran out, nobody has to wait.
		await this.#parts.leases.abandon([this.#id]).catch(() => {});
	}

	/** The webhook was changed, or its deliveries were. */
	changed(): void {
		this.#stale = true;
		this.#watch.wake();
		this.#attemptEnded?.();
		this.#turn?.abort();
	}

	/** Begins no further attempt. */
	stop(): void {
		this.#stopped.abort();
		this.changed();
	}

	/** Ends the attempts that are under way; they are not recorded, so that the next owner makes them. */
	abort(): void {
		this.#ending.abort();
	}

	/** @returns false where the queue is given back or lost */
	async #round(): Promise<boolean> {
		const { store, leases } = this.#parts;
		this.#stale = false;
		const read = await this.#read();
		if (read === null) {
			// What it was marked for may not be done, and nobody may have it: a write that gave it back may land late.
			await markWebhook(store, this.#account_id, this.#id);
			return false;
		}
		const webhook = await leases.clearMark(read);
		if (webhook === null) return true;
		const more = await this.#work(webhook);
		if (more) return true;
		if (this.#underWay.size > 0) {
			await this.#attemptsOrNews(webhook);
			return true;
		}
		const due = await nextDue(store, webhook);
		if (due > 0 && due <= store.time.now()) return true;
		return !(await leases.giveBack(webhook, due));
	}

	/** The webhook as it is now; null where this process does not own its queue any more. */
	async #read(): Promise<WebhookDocument | null> {
		const { store, leases } = this.#parts;
		const filter = { _id: this.#id, account_id: this.#account_id };
		const webhook = await store.webhooks.findOne(filter).lean<WebhookDocument>();
		return webhook && leases.holds(webhook) ? webhook : null;
	}

	/** @returns whether there is more to do at once */
	async #work(webhook: WebhookDocument): Promise<boolean> {
		const { store, next } = this.#parts;
		if (webhook.deleted_at !== null) {
			this.abort();
			return removeDeliveries(store, webhook);
		}
		const fanned = await fanOut(store, next, webhook);
		if (fanned === 'lost') return true;
		if (!webhook.enabled) return (await failWaiting(store, webhook, this.#underWay)) || fanned === 'more';
		if (webhook.epoch !== this.#epoch) this.#window = new Window();
		this.#epoch = webhook.epoch;
		const recovering = await recoverFailed(store, webhook);
		await this.#attemptDue(webhook);
		return recovering || fanned === 'more';
	}

	/** Attempts what is due, as fast as the endpoint answers, for as long as what is known of the webhook may be used. */
	async #attemptDue(webhook: WebhookDocument): Promise<void> {
		const due = new DueDeliveries(this.#parts.store, webhook, this.#underWay);
		const end = performance.now() + LOOK_AGAIN;
		for (;;) {
			if (!(await this.#fill(webhook, due))) return;
			const left = end - performance.now();
			if (left <= 0) return;
			await this.#anAttempt(left);
		}
	}

	/** @returns false where no more can be begun for now, other than for a full window */
	async #fill(webhook: WebhookDocument, due: DueDeliveries): Promise<boolean> {
		while (this.#underWay.size < this.#window.size) {
			if (this.#failure !== undefined) throw this.#failure;
			if (this.#stale) return false;
			const delivery = await due.next();
			if (delivery === undefined) return false;
			const giveBack = await this.#takeSlot(webhook);
			if (giveBack === undefined) return false;
			this.#begin(webhook, delivery, giveBack);
		}
		return true;
	}

	/** @returns undefined where something changed meanwhile, or it took so long that something may have */
	async #takeSlot(webhook: WebhookDocument): Promise<(() => void) | undefined> {
		const { slots, lanes } = this.#parts;
		const turn = new AbortController();
		this.#turn = turn;
		const timer = setTimeout(() => turn.abort(), TURN_PATIENCE);
		const host = new URL(webhook.url).hostname.replace(/\.$/, '');
		const wish = { lane: lanes.of(webhook), account_id: webhook.account_id, host };
		const giveBack = await slots.take(wish, turn.signal);
		clearTimeout(timer);
		this.#turn = undefined;
		if (!this.#stale) return giveBack;
		giveBack?.();
		return undefined;
	}

	/** Whether this process owns the queue and nobody changed the webhook since it was read. */
	async #isCurrent(webhook: WebhookDocument): Promise<boolean> {
		return (await this.#state(webhook)) !== undefined;
	}

	/** The webhook's state, where it is as it was read; undefined where it is another, or another process' now. */
	async #state({ _id, account_id, version }: WebhookDocument): Promise<WebhookState | undefined> {
		const { current, leases } = this.#parts;
		const now = await current.ask({ _id, account_id });
		return now !== null && now.version === version && leases.holds(now) ? now : undefined;
	}

	/** Until an attempt ends or there may be more to do. Where no attempt can be added, a look at the mark tells that. */
	async #attemptsOrNews(webhook: WebhookDocument): Promise<void> {
		for (;;) {
			const woken = await this.#watch.wait(PATIENCE);
			if (woken || this.#stale || this.#underWay.size < this.#window.size) return;
			if ((await this.#state(webhook))?.wake_at !== 0) return;
		}
	}

	#begin(webhook: WebhookDocument, delivery: DeliveryDocument, giveBack: () => void): void {
		const attempt = this.#attempt(webhook, delivery)
			.catch((error: unknown) => {
				this.#failure = error;
			})
			.finally(() => {
				giveBack();
				this.#underWay.delete(delivery._id);
				this.#watch.wake();
				this.#attemptEnded?.();
			});
		this.#underWay.set(delivery._id, attempt);
	}

	async #attempt(webhook: WebhookDocument, delivery: DeliveryDocument): Promise<void> {
		const { store, random } = this.#parts;
		const isCurrent = () => this.#isCurrent(webhook);
		const came = await attemptDelivery(this.#parts, webhook, delivery, { signal: this.#ending.signal, isCurrent });
		if (this.#ending.signal.aborted) return;
		if (came === 'changed') {
			this.#stale = true;
			return;
		}
		const disabled = came === 'expired' ? undefined : await this.#note(webhook, came);
		const isGone = disabled === 'gone';
		await recordAttempt(store, delivery, came, random(), isGone);
		this.#failures = 0;
	}

	/** What an attempt says about the endpoint is written before the attempt itself: who sees the one sees the other. */
	async #note(webhook: WebhookDocument, attempt: Attempt): Promise<DisabledReason | undefined> {
		const { store, logger, lanes } = this.#parts;
		if (webhook.epoch === this.#epoch) this.#window.note(isDelivered(attempt), attempt.duration);
		lanes.note(webhook, attempt);
		const disabled = await noteHealth(store, webhook, attempt);
		if (disabled === undefined) return undefined;
		this.#stale = true;
		logger.info({ account_id: webhook.account_id, webhook_id: this.#id, reason: disabled }, 'webhook disabled');
		return disabled;
	}

	/** Until an attempt ends, or somebody says that something changed; at most `ms`. */
	async #anAttempt(ms: number): Promise<void> {
		let timer: NodeJS.Timeout | undefined;
		await new Promise<void>((resolve) => {
			this.#attemptEnded = resolve;
			timer = setTimeout(resolve, ms);
		});
		clearTimeout(timer);
		this.#attemptEnded = undefined;
	}

	/**
	 * A store that takes no writes must not make the same attempts again and again. The pauses outlast the lease: by then
	 * the queue is lost, or the store is back.
	 */
	async #pause(error: unknown): Promise<void> {
		const { logger } = this.#parts;
		this.#failure = undefined;
		const ms = Math.min(LONGEST_PAUSE, 1_000 * 2 ** this.#failures++);
		logFailure(logger, error, 'the queue of a webhook pauses', { webhook_id: this.#id, pause: ms });
		await delay(ms, undefined, { ref: false, signal: this.#stopped.signal }).catch(() => {});
	}
}
