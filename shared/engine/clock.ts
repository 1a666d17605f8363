/** The one source of time. Tests inject their own. */
export interface Clock {
	/** ms since the Unix epoch */
	now(): number;
	/** ms of a clock that never jumps; only differences mean anything */
	monotonic(): number;
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/**
 * ms by which the clocks of two processes, or of one before and after it was set, may differ: what is kept for a time is
 * kept for this much longer.
 */
export const SKEW = 3_600_000;

/** ISO 8601 UTC with milliseconds and `Z`, the form in which every time is stored and shown. */
export function timestamp(ms: number): string {
	return new Date(ms).toISOString();
}
