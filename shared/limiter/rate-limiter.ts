import type { Bucket, Level } from './bucket.ts';

/**
 * Sustained rates with a burst allowance, by GCRA: for every span of T seconds a bucket gives at most size + rate × T
 * tokens and, to those who ask all the time, no less (promise R1). Over all processes that share a Redis, or in one.
 */
export interface RateLimiter {
	/**
	 * Takes a token from each bucket, or from none where one is empty. Never rejects; where Redis is gone it decides by
	 * what this process knows, after ≤ 60 ms (promise R5).
	 * @param buckets of one owner
	 * @returns one level for each bucket, in their order; the tokens were taken where every `wait` is 0
	 */
	take(buckets: readonly Bucket[]): Promise<Level[]>;
	/** The same without taking anything; every `wait` is 0. */
	look(buckets: readonly Bucket[]): Promise<Level[]>;
	/**
	 * Takes what something turned out to cost, whether it is there or not. What is missing is owed, up to the bucket's
	 * `debt`: until it has come back, nobody takes from the bucket. Never rejects.
	 * @param tokens 1 or more
	 */
	charge(bucket: Bucket, tokens: number): Promise<void>;
	readonly stats: Readonly<RateLimiterStats>;
	close(): void;
}

/** Counters since the start. */
export interface RateLimiterStats {
	taken: number;
	refused: number;
	/** How many of these decisions this process made alone, because Redis did not answer */
	alone: number;
	/** Whether it decides alone right now */
	degraded: boolean;
}

export function newStats(): RateLimiterStats {
	return { taken: 0, refused: 0, alone: 0, degraded: false };
}
