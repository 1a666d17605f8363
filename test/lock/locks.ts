import type { AccountKey } from '../../shared/contract/actions/common.ts';
import type { FairLock } from '../../shared/lock/fair-lock.ts';
import { type RedisFairLockOptions, redisFairLock } from '../../shared/lock/redis-fair-lock.ts';
import { keyOf } from '../support/account-keys.ts';
import { until } from '../support/until.ts';
import { RedisServer } from './redis-server.ts';

/** One Redis, and any number of locks on it, as many processes would have them. */
export class Locks {
	readonly redis: RedisServer;
	readonly #open: FairLock[] = [];
	#places = 0;

	private constructor(redis: RedisServer) {
		this.redis = redis;
	}

	/** @param env more variables that Redis sees */
	static async start(env: Record<string, string> = {}): Promise<Locks> {
		return new Locks(await RedisServer.start(env));
	}

	/** A lock that is connected. It bears with a slow machine, unless the test is about the limit for an answer. */
	async open(options: Partial<RedisFairLockOptions> = {}): Promise<FairLock> {
		const lock = redisFairLock({ url: this.redis.url, namespace: 'test', answerWithin: 5000, ...options });
		this.#open.push(lock);
		await untilHealthy(lock);
		return lock;
	}

	/** A place that no other test uses. */
	place(): AccountKey {
		return keyOf(++this.#places, '2030-01-07');
	}

	/** The tokens in line, the next one first. */
	line(place: string): Promise<string[]> {
		return this.redis.admin.lrange(`test:lock:{${place}}:queue`, 0, -1);
	}

	async closeAll(): Promise<void> {
		await Promise.all(this.#open.splice(0).map((lock) => lock.close()));
	}

	async stop(): Promise<void> {
		await this.closeAll();
		await this.redis.stop();
	}
}

/** Waits until the lock gives leases. */
export async function untilHealthy(lock: FairLock): Promise<void> {
	await until(async () => {
		const lease = await lock.acquire(keyOf('warm-up', Math.random()));
		await lease?.release();
		return lease;
	});
}

/** Waits until so many stand in line. */
export async function untilWaiting(lock: FairLock, place: AccountKey, waiting: number): Promise<void> {
	await until(async () => (await lock.inspect(place)).waiting === waiting);
}
