import { type Caller, call } from '../../../shared/bus/call.ts';
import type { Clock } from '../../../shared/engine/clock.ts';

/** ms for an answer, which several requests share */
const LIMIT = 4_000;

/**
 * Whether operators changed accounts, keys or plans: one question that stands for a look-up of each key. Nothing is asked
 * but while requests come.
 */
export class AccountChanges {
	readonly #caller: Caller;
	readonly #clock: Clock;
	#count: number | undefined;
	/** Monotonic ms: what was looked up earlier may be older than the last change that is counted */
	#since = 0;
	/** Monotonic ms of the last question that was answered */
	#asked = 0;
	#asking: Promise<void> | undefined;

	constructor(caller: Caller, clock: Clock) {
		this.#caller = caller;
		this.#clock = clock;
	}

	/** @returns until when, monotonic ms, what was looked up at `start` is known to have held */
	heldUntil(start: number): number {
		return this.canHold(start) ? Math.max(start, this.#asked) : start;
	}

	/** Whether an answer may say that what was looked up at `start` holds: not where it may be of before a change. */
	canHold(start: number): boolean {
		return start >= this.#since;
	}

	/** @throws service_unavailable or gateway_timeout where accounts does not answer */
	ask(): Promise<void> {
		this.#asking ??= this.#ask().finally(() => {
			this.#asking = undefined;
		});
		return this.#asking;
	}

	async #ask(): Promise<void> {
		const start = this.#clock.monotonic(); // the answer is as old as the question
		const { count } = await call(this.#caller, 'accounts.changes', {}, { timeout: LIMIT });
		if (count !== this.#count) {
			this.#count = count;
			this.#since = this.#clock.monotonic(); // and not `start`: what was looked up meanwhile may be of before the change
		}
		this.#asked = start;
	}
}
