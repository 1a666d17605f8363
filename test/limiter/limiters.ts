import { systemClock } from '../../shared/engine/clock.ts';
import { type Bucket, bucketOf, type RateLimiter } from '../../shared/limiter/bucket.ts';
import { type RedisRateLimiterOptions, redisRateLimiter } from '../../shared/limiter/redis-rate-limiter.ts';
import { RedisServer } from '../lock/redis-server.ts';
import { until } from '../support/until.ts';

/** One Redis, and any number of limiters on it, as many gateways would have them. */
export class Limiters {
	readonly redis: RedisServer;
	readonly #open: RateLimiter[] = [];

	private constructor(redis: RedisServer) {
		this.redis = redis;
	}

	/** @param env more variables that Redis sees */
	static async start(env: Record<string, string> = {}): Promise<Limiters> {
		return new Limiters(await RedisServer.start(env));
	}

	/** A limiter that is connected. It bears with a slow machine, unless the test is about the limit for an answer. */
	async open(options: Partial<RedisRateLimiterOptions> = {}): Promise<RateLimiter> {
		const { url } = this.redis;
		const own = { url, namespace: 'test', clock: systemClock, answerWithin: 5000, ...options };
		const limiter = redisRateLimiter(own);
		this.#open.push(limiter);
		await untilRedisAnswers(limiter);
		return limiter;
	}

	closeAll(): void {
		for (const limiter of this.#open.splice(0)) limiter.close();
	}

	async stop(): Promise<void> {
		this.closeAll();
		await this.redis.stop();
	}
}

/** Waits until a decision is not made alone. */
export async function untilRedisAnswers(limiter: RateLimiter): Promise<void> {
	await until(async () => {
		const { alone } = limiter.stats;
		await limiter.take([newBucket(1, 1000)]);
		return limiter.stats.alone === alone;
	});
}

let owners = 0;

/** A bucket that no other test uses. */
export function newBucket(size: number, rate: number): Bucket {
	return bucketOf(`acc_${++owners}`, 'requests', rate, size);
}

/** Takes one; whether there was one. */
export async function takes(limiter: RateLimiter, ...buckets: Bucket[]): Promise<boolean> {
	return (await limiter.take(buckets)).every(({ wait }) => wait === 0);
}

/** Takes until there is none left; how many there were. */
export async function drain(limiter: RateLimiter, bucket: Bucket): Promise<number> {
	let taken = 0;
	while (await takes(limiter, bucket)) taken++;
	return taken;
}
