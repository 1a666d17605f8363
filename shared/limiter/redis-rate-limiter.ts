import type { Redis } from 'ioredis';
import type { Clock } from '../engine/clock.ts';
import { randomBase62 } from '../engine/ids.ts';
import { luaScript, RedisLink } from '../redis/redis-link.ts';
import { type Bucket, type Level, levelOf, newStats, type RateLimiter } from './bucket.ts';
import { LocalBuckets } from './local-buckets.ts';

export type TakeAnswer = [wait: number, toFull: number, fullAt: number][];

/** A connection that knows the script. What it takes and answers stands at the head of its file in `commands/`. */
export interface LimiterRedis extends Redis {
	take(keys: number, ...keysAndNumbers: (string | number)[]): Promise<TakeAnswer>;
	/** @returns µs until the bucket is full */
	charge(key: string, tokens: number, size: number, interval: number, known: number, debt: number): Promise<number>;
}

/** As ioredis' option `scripts` takes it. */
const commands = new URL('commands/', import.meta.url);
export const LIMITER_SCRIPTS = { take: luaScript(commands, 'take-n'), charge: luaScript(commands, 'charge-1') };

/** @param known for each bucket: for how long it will not be full as far as the caller knows, in µs; 0: nothing */
export function takeArguments(
	keys: LimiterKeys,
	buckets: readonly Bucket[],
	tokens: number,
	known: (bucket: Bucket) => number,
): [keys: number, ...keysAndNumbers: (string | number)[]] {
	const numbers = buckets.flatMap((bucket) => [bucket.size, bucket.interval, known(bucket), bucket.debt]);
	return [buckets.length, ...buckets.map((bucket) => keys.of(bucket)), tokens, ...numbers];
}

/** Builds every key that the limiter uses in Redis. */
export class LimiterKeys {
	readonly #prefix: string;

	/** @param namespace prefix of everything that this installation keeps in Redis; no braces in it */
	constructor(namespace: string) {
		this.#prefix = `${namespace}:limit`;
	}

	/** The braces are a hash tag: an owner's keys fall into one slot of a Redis Cluster, as a script requires. */
	of({ owner, name }: Pick<Bucket, 'owner' | 'name'>): string {
		return `${this.#prefix}:{${owner}}:${name}`;
	}
}

export interface RedisRateLimiterOptions {
	url: string;
	/** prefix of all keys */
	namespace: string;
	/** of the buckets of this process; those in Redis go by the clock of Redis */
	clock: Clock;
	/** ms after which Redis counts as gone. Default 50 */
	answerWithin?: number;
	/** ms for which Redis is not asked after a failure; it may be back for as long unnoticed. Default 200 */
	skipAfterFailure?: number;
	onDegraded?(reason: string): void;
	onRestored?(): void;
}

/**
 * Late answers in a row that are borne, each one costing a request its 50 ms and no more: a Redis that is busy for a
 * moment must not make every gateway count on its own.
 */
const LATE_ANSWERS = 2;

/** The limiter for many processes. */
export function redisRateLimiter(options: RedisRateLimiterOptions): RateLimiter {
	return new RedisRateLimiter(options);
}

/**
 * Each answer of Redis is noted in buckets of this process, and where Redis is lost these go on: nobody gets a second
 * burst. What they have when Redis returns is told to it with the next request of their owner, so that nobody gets a
 * third one: a Redis that was restarted is empty, and one that stood still has not heard of what passed meanwhile. While
 * Redis answers it is told nothing: the time that an answer is under way would make a bucket emptier each time.
 *
 * A question that went unanswered may still be carried out later. It costs its owner a token, which is the safe side.
 */
class RedisRateLimiter implements RateLimiter {
	readonly stats = newStats();
	readonly #keys: LimiterKeys;
	readonly #clock: Clock;
	readonly #own: LocalBuckets;
	readonly #link: RedisLink<LimiterRedis>;
	/** µs of the monotonic clock: what was noted earlier, Redis may not know */
	#restoredAt = Number.NEGATIVE_INFINITY;

	constructor(options: RedisRateLimiterOptions) {
		this.#clock = options.clock;
		this.#keys = new LimiterKeys(options.namespace);
		this.#own = new LocalBuckets(options.clock);
		// Full again after a µs; taken from only where scripts run and writes are taken.
		const probe = [{ owner: randomBase62(12), name: 'probe', size: 1000, interval: 1, debt: 0 }];
		this.#link = new RedisLink<LimiterRedis>({
			url: options.url,
			scripts: LIMITER_SCRIPTS,
			answerWithin: options.answerWithin ?? 50,
			lateAnswers: LATE_ANSWERS,
			retryAfter: options.skipAfterFailure ?? 200,
			probe: (client) => client.take(...takeArguments(this.#keys, probe, 1, () => 0)),
			onDown: (reason) => {
				this.stats.degraded = true;
				options.onDegraded?.(reason);
			},
			onUp: () => {
				this.stats.degraded = false;
				this.#restoredAt = this.#now();
				options.onRestored?.();
			},
		});
	}

	async take(buckets: readonly Bucket[]): Promise<Level[]> {
		const levels = await this.#ask(buckets, 1);
		this.stats[levels.every(({ wait }) => wait === 0) ? 'taken' : 'refused']++;
		return levels;
	}

	look(buckets: readonly Bucket[]): Promise<Level[]> {
		return this.#ask(buckets, 0);
	}

	async charge(bucket: Bucket, tokens: number): Promise<void> {
		if (this.stats.degraded) return this.#own.charge(bucket, tokens);
		const sent = this.#now();
		const { size, interval, debt } = bucket;
		const known = this.#own.known(bucket, this.#restoredAt);
		try {
			const toFull = await this.#link.ask((client) =>
				client.charge(this.#keys.of(bucket), tokens, size, interval, known, debt),
			);
			this.#own.learn(bucket, toFull, sent);
		} catch {
			this.#own.charge(bucket, tokens);
		}
	}

	close(): void {
		this.#link.close();
	}

	async #ask(buckets: readonly Bucket[], tokens: number): Promise<Level[]> {
		if (this.stats.degraded) return this.#alone(buckets, tokens);
		const sent = this.#now(); // not when the answer came: what is noted is never emptier than the bucket was
		const args = takeArguments(this.#keys, buckets, tokens, (bucket) => this.#own.known(bucket, this.#restoredAt));
		try {
			const answer = await this.#link.ask((client) => client.take(...args));
			return buckets.map((bucket, index) => {
				const [wait, toFull, fullAt] = answer[index]!;
				this.#own.learn(bucket, toFull, sent);
				return levelOf(bucket, wait, toFull, fullAt);
			});
		} catch {
			return this.#alone(buckets, tokens);
		}
	}

	#alone(buckets: readonly Bucket[], tokens: number): Level[] {
		this.stats.alone += tokens;
		return this.#own.take(buckets, tokens);
	}

	#now(): number {
		return Math.floor(this.#clock.monotonic() * 1000);
	}
}
