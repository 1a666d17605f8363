import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { LimitsReport } from '../../../shared/contract/reports.ts';
import type { Clock } from '../../../shared/engine/clock.ts';
import { type Bucket, bucketOf } from '../../../shared/limiter/bucket.ts';
import { LocalBuckets } from '../../../shared/limiter/local-buckets.ts';
import { type ClientAddress, networkOf } from './client-address.ts';

/** Failures a minute that an address has; as many at once (contract §5) */
const A_MINUTE = 100;
/**
 * Look-ups of an address that has no failure left: so many at once, and one more each second. Of keys that come for the
 * first time, and of those that come again after they were told to wait; together 5 in any second at most.
 */
const FIRST = 2;
const AGAIN = 1;
const A_SECOND = 1;

/**
 * Limits failed authentication, and the look-ups that it causes, by address. A key that is known to be good is never
 * counted and never refused, so whoever shares an address with an attacker is served. An address may have as many other
 * keys looked up at once as it has failures left. With none left it has a few look-ups a second, some of them for keys
 * that come again: so a flood of new keys does not keep out a good one that the gateway does not know yet.
 *
 * Each gateway counts in its own memory, because a key with a wrong checksum must cost no call to Redis (promise A1).
 * Nobody guesses 30 random characters: what is limited is the noise in logs and the load of look-ups.
 */
export class FailedAuthentication {
	readonly #buckets: LocalBuckets;
	readonly #addresses: ClientAddress;
	/** Look-ups under way, and who waits for the end of one, by network */
	readonly #asking = new Map<string, { count: number; waiting: (() => void)[] }>();
	readonly #refusedKeys: RefusedKeys;
	#refused = 0;

	constructor(addresses: ClientAddress, clock: Clock) {
		this.#addresses = addresses;
		this.#buckets = new LocalBuckets(clock);
		this.#refusedKeys = new RefusedKeys(clock);
	}

	/** Answers 429 instead of 401 since the start, and networks that failed within the last minute. */
	get stats(): LimitsReport['failed_authentication'] {
		return { refused: this.#refused, networks: this.#buckets.size };
	}

	/**
	 * @param error why authentication failed
	 * @returns what to answer: `error`, or rate_limit_exceeded where it is a 401 too many
	 */
	judge(error: unknown, request: IncomingMessage): unknown {
		if (!(error instanceof ApiError) || error.status !== 401) return error;
		const network = networkOf(this.#addresses.of(request));
		const [level] = this.#buckets.take([bucketOf(network, 'failures', A_MINUTE / 60, A_MINUTE)], 1);
		if (level!.wait === 0) return error;
		return this.#refusal(level!.wait);
	}

	/** For a key that is not known to be good; see `LookUpPermit`. */
	permit(hash: string, request: IncomingMessage): (() => void) | Promise<void> {
		const network = networkOf(this.#addresses.of(request));
		const [{ remaining } = { remaining: 0 }] = this.#buckets.take(
			[bucketOf(network, 'failures', A_MINUTE / 60, A_MINUTE)],
			0,
		);
		const asking = this.#asking.get(network) ?? { count: 0, waiting: [] };
		if (remaining > 0 && asking.count >= remaining) return new Promise((resolve) => asking.waiting.push(resolve));
		if (remaining === 0) this.#takeScarce(hash, network);
		this.#asking.set(network, asking);
		asking.count++;
		// Not at once: a failure must have been counted before others take its place.
		return () => setImmediate(() => this.#end(network));
	}

	/** @throws rate_limit_exceeded */
	#takeScarce(hash: string, network: string): void {
		const again: Bucket[] = this.#refusedKeys.isBack(hash)
			? [bucketOf(network, 'look-ups again', A_SECOND, AGAIN)]
			: [];
		for (const bucket of [...again, bucketOf(network, 'first look-ups', A_SECOND, FIRST)]) {
			if (this.#buckets.take([bucket], 1)[0]!.wait === 0) return;
		}
		throw this.#refusal(1_000);
	}

	#end(network: string): void {
		const asking = this.#asking.get(network)!;
		if (--asking.count === 0) this.#asking.delete(network);
		for (const ask of asking.waiting.splice(0)) ask();
	}

	#refusal(wait: number): ApiError {
		this.#refused++;
		return new ApiError('rate_limit_exceeded', 'too many failed authentications', Math.ceil(wait / 1000));
	}
}

const SLOTS = 65_536;
/** ms after which a key counts as having come again, as Retry-After told it, and until which it is remembered */
const BACK_AFTER = 1_000;
const BACK_UNTIL = 60_000;

/**
 * Keys that were not looked up, in 768 KiB however many there are: of keys that share a slot, the last one that came for
 * the first time is remembered. A flood of 10,000 a second lets 5 of 6 keys be recognised after a second.
 */
class RefusedKeys {
	readonly #clock: Clock;
	readonly #marks = new Uint32Array(SLOTS);
	/** Monotonic ms */
	readonly #since = new Float64Array(SLOTS).fill(Number.NEGATIVE_INFINITY);

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	isBack(hash: string): boolean {
		const mark = Number.parseInt(hash.slice(0, 8), 16);
		const slot = Number.parseInt(hash.slice(8, 12), 16);
		const now = this.#clock.monotonic();
		const age = now - this.#since[slot]!;
		if (this.#marks[slot] === mark && age < BACK_UNTIL) return age >= BACK_AFTER;
		this.#marks[slot] = mark;
		this.#since[slot] = now;
		return false;
	}
}
