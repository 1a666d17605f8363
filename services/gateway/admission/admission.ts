import type { Clock } from '../../../shared/engine/clock.ts';
import { tellTogether } from '../../../shared/engine/tell-together.ts';
import type { Logger } from '../../../shared/log/log.ts';
import { splitTarget } from '../pipeline/router.ts';

/** Requests at work from which on a process is behind: where it serves as many a second, the last one waits for one */
const LIMIT = 256;
/** Requests that may come on top of that when a process was not behind: a rush for a popular slot is served whole */
const BURST = 1_280;
/** Requests at work beyond both, of accounts that have next to nothing at work themselves */
const RESERVE = 256;
/** Requests at work at most, and ms without one beyond LIMIT, after which the next rush may come */
const CALM = 64;
const LULL = 100;
/** ms between two lines of the log about requests that were refused */
const TELL_EVERY = 1_000;

/** An orchestrator that got no answer would restart the process, or take it out, which makes an overload worse. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Whether a request asks how the process is. */
export function isProbe(target: string): boolean {
	return PROBES.has(splitTarget(target).path);
}

export const ADMISSION = { LIMIT, BURST, RESERVE, CALM, LULL } as const;

/**
 * Decides which requests are begun. A process that is asked for more than it can serve would let every request wait
 * until its client has given up; so it refuses some at once and serves the others (docs/adr/0018). A rush
 * is not an overload: it ends. So requests beyond LIMIT draw on an allowance, which is whole again
 * after a lull. What only waits, for its client or for an event, is not at work.
 */
export class Admission {
	readonly #clock: Clock;
	#working = 0;
	#allowance = BURST;
	/** Monotonic ms of the last request that came beyond LIMIT */
	#beyondAt = Number.NEGATIVE_INFINITY;
	#refused = 0;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Requests that were refused since the start */
	get refused(): number {
		return this.#refused;
	}

	/**
	 * @param isModest whether it is of an account that has next to nothing at work: one account's overload is not another's
	 * @returns whether a request for this target may begin; if so, `end` must follow
	 */
	begin(target: string, isModest: () => boolean = () => false): boolean {
		if (this.#working < LIMIT || isProbe(target)) {
			if (this.#allowance < BURST && this.#isLull()) this.#allowance = BURST;
		} else if (this.refuses(isModest)) return false;
		else if (this.#allowance > 0) this.#allowance--;
		this.#working++;
		return true;
	}

	/** Whether requests are refused now, but for probes and those of accounts that have next to nothing at work. */
	get isBehind(): boolean {
		return this.#working >= LIMIT && this.#allowance === 0;
	}

	/** Whether a request that is no probe is refused now. If so, it counts as refused. */
	refuses(isModest: () => boolean): boolean {
		if (this.#working < LIMIT) return false;
		this.#beyondAt = this.#clock.monotonic();
		if (this.#allowance > 0) return false;
		if (this.#working < LIMIT + BURST + RESERVE && isModest()) return false;
		this.#refused++;
		return true;
	}

	end(): void {
		this.#working--;
	}

	/** Time in which the process has nothing to do for a request that has begun. */
	async whileIdle<T>(wait: Promise<T>): Promise<T> {
		this.#working--;
		try {
			return await wait;
		} finally {
			this.#working++;
		}
	}

	#isLull(): boolean {
		return this.#working < CALM && this.#clock.monotonic() - this.#beyondAt >= LULL;
	}
}

/**
 * Logs how many requests were refused because more came than can be served.
 * @returns to be called at each overload refusal
 */
export function overloadRefusalTeller(clock: Clock, logger: Logger): () => void {
	return tellTogether(TELL_EVERY, clock, (requests) => {
		logger.warn({ requests }, 'requests refused: more come than can be served');
	});
}
