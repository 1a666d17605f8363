import { type Clock, systemClock, timestamp } from '../../../../shared/engine/clock.ts';
import type { WebhookMetrics } from '../../../../shared/metrics/backlog-metrics.ts';
import { type Attempt, isDelivered, retryAfterSeconds } from './attempt.ts';
import { DeliveryFailure, failureText, TargetRefused } from './delivery-failure.ts';
import { type Answer, exchange } from './exchange.ts';
import { findAddresses, type TargetRules } from './find-addresses.ts';
import { readTarget, type Target } from './read-target.ts';

export interface SenderOptions extends TargetRules {
	clock?: Clock;
	/** ms for name, connection, TLS, headers and body together; default 15,000 (contract §8) */
	timeout?: number;
	/** `Store.durable`: what a message tells of is on the disk before it leaves */
	durable?: (() => Promise<void> | undefined) | undefined;
	/** Counts the attempts by what came of them */
	metrics?: WebhookMetrics;
}

export interface OutboundMessage {
	url: string;
	headers: Record<string, string>;
	body: string;
	/** Ends the attempt, as a failure */
	signal?: AbortSignal;
	/**
	 * Asked last, before the connection is made: whether the message is still to go there. Where it is not, or the question
	 * fails, `send` rejects: nothing was sent, and the endpoint has no part in it.
	 */
	isWanted?(): Promise<boolean>;
}

/** ms for which an answer that a message is still wanted may be relied on */
const FRESH = 1_000;

/** Nothing was sent: the message is not wanted any more. */
export class NotWanted extends Error {}

/**
 * Sends messages to customers' servers, which may be slow, broken or hostile. It does not limit how
 * many attempts run at once: each one has taken a slot before (`Slots`).
 */
export class WebhookSender {
	readonly #rules: TargetRules;
	readonly #clock: Clock;
	readonly #timeout: number;
	readonly #durable: SenderOptions['durable'];
	readonly #metrics: WebhookMetrics | undefined;
	readonly #endings = new Set<AbortController>();
	readonly #running = new Set<Promise<Attempt>>();
	#closed = false;

	constructor({ clock = systemClock, timeout = 15_000, durable, metrics, ...rules }: SenderOptions) {
		this.#durable = durable;
		this.#rules = rules;
		this.#clock = clock;
		this.#timeout = timeout;
		this.#metrics = metrics;
	}

	/**
	 * One attempt, judged anew (promise W5). What went wrong with the endpoint is in the attempt.
	 * @throws NotWanted, or what `isWanted` or the store throws
	 */
	async send(message: OutboundMessage): Promise<Attempt> {
		const running = this.#cancellable(message);
		this.#running.add(running);
		const attempt = await running.finally(() => this.#running.delete(running));
		const failed = attempt.error === null ? 'refused' : 'unanswered';
		this.#metrics?.observe(isDelivered(attempt) ? 'delivered' : failed, attempt.duration);
		return attempt;
	}

	/** Ends the running attempts, as failures; later ones fail at once. */
	async close(): Promise<void> {
		this.#closed = true;
		for (const ending of this.#endings) cancel(ending);
		await Promise.allSettled(this.#running);
	}

	async #cancellable(message: OutboundMessage): Promise<Attempt> {
		const ending = new AbortController();
		const stop = () => cancel(ending);
		this.#endings.add(ending);
		message.signal?.addEventListener('abort', stop, { once: true });
		if (this.#closed || message.signal?.aborted) stop();
		try {
			ending.signal.throwIfAborted();
			return await this.#attempt(message, ending);
		} catch (error) {
			if (!ending.signal.aborted) throw error;
			return {
				at: timestamp(this.#clock.now()),
				duration: 0,
				status: null,
				error: failureText(error),
				retry_after: null,
			};
		} finally {
			message.signal?.removeEventListener('abort', stop);
			this.#endings.delete(ending);
		}
	}

	async #attempt(message: OutboundMessage, ending: AbortController): Promise<Attempt> {
		const at = timestamp(this.#clock.now());
		const begin = this.#clock.monotonic();
		const late = new DeliveryFailure(`no complete answer within ${this.#timeout / 1_000} s`);
		const timer = setTimeout(() => ending.abort(late), this.#timeout);
		const delivery = this.#deliver(message, ending.signal).finally(() => clearTimeout(timer));
		const { status, retryAfter, date, failure } = await delivery;
		return {
			at,
			duration: Math.round(this.#clock.monotonic() - begin),
			status,
			error: failure === undefined ? null : failureText(failure),
			retry_after: retryAfterSeconds(retryAfter, date, this.#clock.now()),
		};
	}

	/** The addresses that were judged are those that the connection takes: there is no second look-up between. */
	async #deliver(message: OutboundMessage, signal: AbortSignal): Promise<Answer> {
		let target: Target;
		let addresses: string[];
		try {
			target = this.#target(message.url);
			addresses = await unlessAborted(findAddresses(target, this.#rules, signal), signal);
		} catch (failure) {
			return { status: null, retryAfter: undefined, date: undefined, failure };
		}
		if (!(await isStillWanted(message))) throw new NotWanted();
		await this.#durable?.();
		return exchange(target, addresses, message.headers, message.body, signal);
	}

	#target(url: string): Target {
		const target = readTarget(url, this.#rules.allowPrivate);
		if (typeof target === 'string') throw new TargetRefused(target);
		return target;
	}
}

/**
 * An answer that took long may be old: this process may have stood still after it came. So the question is asked again.
 * If the store is slow, the third answer counts.
 */
async function isStillWanted({ isWanted }: OutboundMessage): Promise<boolean> {
	if (isWanted === undefined) return true;
	for (let time = 1; ; time++) {
		const asked = performance.now();
		if (!(await isWanted())) return false;
		if (performance.now() - asked < FRESH || time === 3) return true;
	}
}

function cancel(ending: AbortController): void {
	ending.abort(new DeliveryFailure('the attempt was cancelled'));
}

/** A resolver may not listen to the signal. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
	return new Promise((resolve, reject) => {
		const giveUp = () => reject(signal.reason);
		if (signal.aborted) giveUp();
		signal.addEventListener('abort', giveUp, { once: true });
		work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
	});
}
