import { ApiError } from './errors.ts';

/**
 * The moment (monotonic ms) by which an action must have answered: its caller waits no longer. The remaining time
 * travels with every call, for a timed-out request still runs (field notes 0.11).
 */
export class Deadline {
	readonly at: number;

	/** @param ms time left from now */
	constructor(ms: number) {
		this.at = performance.now() + ms;
	}

	static of(context: { options: { timeout?: number | null } }): Deadline {
		const timeout = context.options.timeout;
		return new Deadline(timeout && timeout > 0 ? timeout : DEFAULT_TIMEOUT);
	}

	/** ms left, ≤ 0 when it has passed */
	remaining(): number {
		return this.at - performance.now();
	}

	/** @throws gateway_timeout when no time is left: called before every write */
	assertTimeLeft(): void {
		if (this.remaining() <= 0) throw new ApiError('gateway_timeout');
	}
}

/** ms that an action may take where its caller named no time */
export const DEFAULT_TIMEOUT = 8_000;
