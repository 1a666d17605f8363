/** A bucket of tokens: as many as its size at once, and one more after each interval. */
export interface Bucket {
	/** Whose it is; all buckets of one call have the same owner */
	owner: string;
	/** Which one of its owner's */
	name: string;
	/** Tokens of a full one, ≥ 1: the burst */
	size: number;
	/** Whole µs in which a token comes back, ≥ 1 */
	interval: number;
	/** Tokens beyond empty that it may owe where what something costs is known afterwards only; 0: `charge` never takes any */
	debt: number;
}

/** How a bucket stands after a call. */
export interface Level {
	/** ms until the tokens that were asked for are there, rounded up; 0: they were there */
	wait: number;
	/** Whole tokens left, 0 to the bucket's size */
	remaining: number;
	/** ms since the epoch, when it is full again if nobody takes anything */
	fullAt: number;
}

/**
 * @param rate tokens a second; up to 10,000 the interval's rounding takes less than 1 % of it
 * @param burst tokens at once
 */
export function bucketOf(owner: string, name: string, rate: number, burst: number, debt = 0): Bucket {
	return { owner, name, size: burst, interval: Math.ceil(1_000_000 / rate), debt };
}

/**
 * @param wait µs until the tokens are there; ≤ 0: they are
 * @param toFull µs until the bucket is full
 */
export function levelOf({ size, interval }: Bucket, wait: number, toFull: number, fullAt: number): Level {
	const remaining = Math.max(size - Math.ceil(toFull / interval), 0);
	return { wait: Math.max(Math.ceil(wait / 1000), 0), remaining, fullAt };
}

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
