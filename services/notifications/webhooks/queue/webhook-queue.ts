import { setTimeout as delay } from 'node:timers/promises';
import type { DisabledReason } from '../../../../shared/contract/schemas/webhook.ts';
import type { Gatherer } from '../../../../shared/engine/gatherer.ts';
import { logFailure } from '../../../../shared/log/log.ts';
import { Watch } from '../../log/append-signals.ts';
import type { Attempt } from '../outbound/attempt.ts';
import type { DeliveryDocument } from '../store/delivery.model.ts';
import type { WebhookKey, WebhookState } from '../store/queue-store.ts';
import type { WebhookDocument } from '../store/webhook.model.ts';
import { type AttemptParts, attemptDelivery } from './attempt-delivery.ts';
import { type EventPage, type EventPosition, fanOut } from './fan-out.ts';
import type { Leases } from './lease.ts';
import { noteHealth, recordAttempt } from './record-attempt.ts';
import { type Lanes, type Slots, Window } from './slots.ts';
import { DueDeliveries, failWaiting, recoverFailed, removeDeliveries } from './waiting-deliveries.ts';

export interface QueueParts extends AttemptParts {
	leases: Leases;
	slots: Slots;
	lanes: Lanes;
	current: Gatherer<WebhookKey, WebhookState | null>;
	next: Gatherer<EventPosition, EventPage>;
	/** From 0 to 1 */
	random(): number;
}

/** What a queue is at. From `working` to `leaving`, the webhook is as `reading` found it. */
type State = { mode: 'reading' | 'ended' } | { mode: 'working' | 'waiting' | 'leaving'; webhook: WebhookDocument };

const READING: State = { mode: 'reading' };
const ENDED: State = { mode: 'ended' };

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
 *
 * | Mode | What the queue does in it | Next mode |
 * |---|---|---|
 * | reading | reads the webhook and clears its mark | working; not owned any more: ended; marked meanwhile: reading |
 * | working | takes events in and attempts what is due ¹ | more to do: reading; attempts under way: waiting; else: leaving |
 * | waiting | waits for the end of an attempt, or for news | reading |
 * | leaving | gives itself back until the next retry is due | ended; due now, or marked meanwhile: reading |
 *
 * ¹ If the webhook is disabled, what waits fails instead; if it is deleted, its deliveries are removed.
 *
 * After a failure of the store, it pauses, then goes on with reading. `stop` ends it in any mode. Attempts go on beside
 * the modes; each one asks, just before it is sent, whether the webhook is still as it was read.
 */
export class WebhookQueue {
	readonly #parts: QueueParts;
	readonly #id: number;
	readonly #account_id: string;
	/** Woken by the account's events, by changes of the webhook and by attempts that end */
	readonly #news: Watch;
	/** Woken by changes of the webhook and by attempts that end */
	readonly #attemptEnds = new Watch(() => {});
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
	/** Of an attempt that could not be made or recorded; the next one that would begin tells of it */
	#failure: unknown;
	/** While it waits for a slot */
	#turn: AbortController | undefined;

	/** @param news hears of the account's events */
	constructor(parts: QueueParts, { _id, account_id }: Pick<WebhookDocument, '_id' | 'account_id'>, news: Watch) {
		this.#parts = parts;
		this.#id = _id;
		this.#account_id = account_id;
		this.#news = news;
	}

	/** Until it is empty, lost or stopped. Never rejects. */
	async run(): Promise<void> {
		for (let state = READING; state !== ENDED && !this.#stopped.signal.aborted; ) {
			try {
				state = await this.#step(state);
			} catch (error) {
				await this.#pause(error);
				state = READING;
			}
		}
		await Promise.all(this.#underWay.values());
		this.#news.close();
		// Where it was given back, or another process has it, this does nothing; where it only ran out, nobody has to wait.
		await this.#parts.leases.abandon([this.#id]).catch(() => {});
	}

	/** The webhook was changed, or its deliveries were. */
	changed(): void {
		this.#stale = true;
		this.#wake();
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

	async #step(state: State): Promise<State> {
		switch (state.mode) {
			case 'reading':
				return this.#read();
			case 'working':
				return this.#work(state.webhook);
			case 'waiting':
				return this.#wait(state.webhook);
			case 'leaving':
				return this.#leave(state.webhook);
			case 'ended':
				return state;
		}
	}

	async #read(): Promise<State> {
		const { store, leases } = this.#parts;
		const key = { _id: this.#id, account_id: this.#account_id };
		this.#stale = false;
		const read = await store.queues.read(key);
		if (read === null || !leases.holds(read)) {
			// What it was marked for may not be done, and nobody may have it: a write that gave it back may land late.
			await store.queues.mark(key);
			return ENDED;
		}
		const webhook = await leases.clearMark(read);
		return webhook === null ? READING : { mode: 'working', webhook };
	}

	async #work(webhook: WebhookDocument): Promise<State> {
		if (await this.#hasMoreAfterWork(webhook)) return READING;
		return { mode: this.#underWay.size > 0 ? 'waiting' : 'leaving', webhook };
	}

	async #hasMoreAfterWork(webhook: WebhookDocument): Promise<boolean> {
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

	/** Until an attempt ends or there may be more to do. Where no attempt can be added, only a look at the mark tells. */
	async #wait(webhook: WebhookDocument): Promise<State> {
		for (;;) {
			const woken = await this.#news.wait(PATIENCE);
			if (woken || this.#stale || this.#underWay.size < this.#window.size) return READING;
			if ((await this.#stateOf(webhook))?.wake_at !== 0) return READING;
		}
	}

	async #leave(webhook: WebhookDocument): Promise<State> {
		const { store, leases } = this.#parts;
		const due = await store.deliveries.nextDue(webhook);
		if (due > 0 && due <= store.time.now()) return READING;
		return (await leases.giveBack(webhook, due)) ? ENDED : READING;
	}

	/** Attempts what is due, as fast as the endpoint answers, for as long as what is known of the webhook may be used. */
	async #attemptDue(webhook: WebhookDocument): Promise<void> {
		const due = new DueDeliveries(this.#parts.store, webhook, this.#underWay);
		const end = performance.now() + LOOK_AGAIN;
		for (;;) {
			if (!(await this.#fill(webhook, due))) return;
			const left = end - performance.now();
			if (left <= 0) return;
			await this.#attemptEnds.wait(left);
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

	/** The webhook's state, if it is as it was read; undefined if it changed, or its queue is another process' now. */
	async #stateOf({ _id, account_id, version }: WebhookDocument): Promise<WebhookState | undefined> {
		const { current, leases } = this.#parts;
		const now = await current.ask({ _id, account_id });
		return now !== null && now.version === version && leases.holds(now) ? now : undefined;
	}

	#begin(webhook: WebhookDocument, delivery: DeliveryDocument, giveBack: () => void): void {
		const attempt = this.#attempt(webhook, delivery)
			.catch((error: unknown) => {
				this.#failure = error;
			})
			.finally(() => {
				giveBack();
				this.#underWay.delete(delivery._id);
				this.#wake();
			});
		this.#underWay.set(delivery._id, attempt);
	}

	async #attempt(webhook: WebhookDocument, delivery: DeliveryDocument): Promise<void> {
		const { store, random } = this.#parts;
		const isCurrent = async () => (await this.#stateOf(webhook)) !== undefined;
		const came = await attemptDelivery(this.#parts, webhook, delivery, { signal: this.#ending.signal, isCurrent });
		if (this.#ending.signal.aborted) return;
		if (came === 'changed') {
			this.#stale = true;
			return;
		}
		const disabled = came === 'expired' ? undefined : await this.#note(webhook, came);
		await recordAttempt(store, delivery, came, random(), disabled === 'gone');
		this.#failures = 0;
	}

	/** What an attempt says about the endpoint is written before the attempt itself: who sees the one sees the other. */
	async #note(webhook: WebhookDocument, attempt: Attempt): Promise<DisabledReason | undefined> {
		const { store, logger, lanes } = this.#parts;
		if (webhook.epoch === this.#epoch) this.#window.note(attempt);
		lanes.note(webhook, attempt);
		const noted = await noteHealth(store, webhook, attempt);
		if (noted === false) return undefined;
		this.#stale = true; // it may have been read anew since this attempt began, and before this was written
		if (noted === true) return undefined;
		logger.info({ account_id: webhook.account_id, webhook_id: this.#id, reason: noted }, 'webhook disabled');
		return noted;
	}

	#wake(): void {
		this.#news.wake();
		this.#attemptEnds.wake();
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
