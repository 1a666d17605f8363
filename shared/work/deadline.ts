import { AsyncLocalStorage } from 'node:async_hooks';
import { ApiError } from '../contract/errors.ts';

/**
 * The moment (monotonic ms) by which an action must have answered: its caller waits no longer. The remaining time
 * travels with every call, for a timed-out request still runs.
 *
 * The code of an action runs under its deadline, across every `await`: the store refuses each write that would leave
 * after it (docs/adr/0024). Who serves several requests at once says under which deadline each write is, and what goes
 * on after its request is `withoutDeadline`.
 */
export class Deadline {
	readonly at: number;

	/** @param ms time left from now; ≤ 0 where it has passed already */
	constructor(ms: number) {
		this.at = performance.now() + ms;
	}

	/** Of an action: the one that it runs under, or what its caller named. */
	static of(context: { options: { timeout?: number | null } }): Deadline {
		return Deadline.current() ?? new Deadline(context.options.timeout || DEFAULT_TIMEOUT);
	}

	/** Of the code that runs; undefined where it has none. */
	static current(): Deadline | undefined {
		return workContext().deadline;
	}

	/** The one that passes first; undefined where there is none. */
	static earliest(deadlines: readonly (Deadline | undefined)[]): Deadline | undefined {
		let earliest: Deadline | undefined;
		for (const deadline of deadlines) {
			if (deadline !== undefined && !(earliest && earliest.at <= deadline.at)) earliest = deadline;
		}
		return earliest;
	}

	/** ms left, ≤ 0 when it has passed */
	remaining(): number {
		return this.at - performance.now();
	}

	/** @throws DeadlinePassed when no time is left */
	assertTimeLeft(): void {
		if (this.remaining() <= 0) throw new DeadlinePassed(this);
	}
}

/** Nothing of what was to be written was sent. It is a `gateway_timeout`. */
export class DeadlinePassed extends ApiError {
	readonly #deadline: Deadline;

	constructor(deadline: Deadline) {
		super('gateway_timeout');
		this.#deadline = deadline;
	}

	/** Whether `error` is about this deadline, and not about that of a call on the way. */
	static isOf(deadline: Deadline | undefined, error: unknown): boolean {
		return error instanceof DeadlinePassed && error.#deadline === deadline;
	}
}

/** Runs `work`, and whatever it begins, under a deadline: the store takes none of its writes after it. */
export function underDeadline<T>(deadline: Deadline | undefined, work: () => T): T {
	return inContext({ ...workContext(), deadline }, work);
}

/** Runs what goes on whatever becomes of the request that began it: roll-forward, undoing, work for others. */
export function withoutDeadline<T>(work: () => T): T {
	return underDeadline(undefined, work);
}

/** ms that an action may take where its caller named no time */
export const DEFAULT_TIMEOUT = 8_000;

/** A request, by what it costs: see `Reading` and `Writing`. */
export interface Payer {
	readonly units: number;
	add(units: number): void;
}

/** What the running code belongs to. In one storage, for every request pays for each. */
export interface WorkContext {
	/** By which it must have answered; undefined: nobody waits */
	readonly deadline: Deadline | undefined;
	/** The request that reads or writes, and pays for it; undefined: no request's */
	readonly payer: Payer | undefined;
	/** See `untold` */
	readonly isUntold: boolean;
}

const NOBODYS: WorkContext = { deadline: undefined, payer: undefined, isUntold: false };

const current = new AsyncLocalStorage<WorkContext>();

/** Of the code that runs, across every `await`. */
export function workContext(): WorkContext {
	return current.getStore() ?? NOBODYS;
}

/** Runs `work`, and whatever it begins, in a context. */
export function inContext<T>(context: WorkContext, work: () => T): T {
	return current.run(context, work);
}
