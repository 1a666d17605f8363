const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** ms from a failed attempt to the next, by how many were made (contract §8) */
export const SCHEDULE: readonly number[] = [
	5 * SECOND,
	5 * MINUTE,
	30 * MINUTE,
	2 * HOUR,
	5 * HOUR,
	10 * HOUR,
	14 * HOUR,
	20 * HOUR,
	24 * HOUR,
];

/** Share of a delay that is added at random, so that what failed together does not come back together */
const JITTER = 0.2;
/** ms; a `Retry-After` of more is cut to it */
const LONGEST_WAIT = 24 * HOUR;

/**
 * When to try again.
 *
 * @param made attempts so far, the failed one included; 1 or more
 * @param retryAfter seconds that the answer asked for; never sooner than that, and never sooner than the schedule
 * @param random from 0 to 1
 * @returns ms from now; undefined where the schedule is at its end
 */
export function retryDelay(made: number, retryAfter: number | null, random: number): number | undefined {
	const scheduled = SCHEDULE[made - 1];
	if (scheduled === undefined) return undefined;
	const asked = Math.min((retryAfter ?? 0) * SECOND, LONGEST_WAIT);
	return Math.round(Math.max(scheduled, asked) * (1 + JITTER * random));
}
