/** The one source of time. Tests inject their own. */
export interface Clock {
	/** ms since the Unix epoch */
	now(): number;
	/** ms of a clock that never jumps; only differences mean anything */
	monotonic(): number;
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** ISO 8601 UTC with milliseconds and `Z`, the form in which every time is stored and shown. */
export function timestamp(ms: number): string {
	return new Date(ms).toISOString();
}
