import type { Clock } from '../engine/clock.ts';
import { type Bucket, type Level, levelOf } from './bucket.ts';

/** Buckets at most; the one that was used least lately goes, and is full when it comes back. */
const MAX_BUCKETS = 100_000;

/** Moments are µs of the monotonic clock: a wall clock that is set moves no bucket. */
interface Entry {
	/** When the bucket is full: the theoretical arrival time */
	full: number;
	/** When this was true */
	seen: number;
}

/**
 * What the scripts in `commands/` do, in the memory of this process, step by step the same (the conformance suite and a
 * comparison of the two hold that). Full buckets are forgotten, so those who ask for nothing cost nothing.
 */
export class LocalBuckets {
	readonly #clock: Clock;
	/** The one used least lately first */
	readonly #entries = new Map<string, Entry>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** How many are not full; a few more where some that are were used after one that is not. */
	get size(): number {
		this.#forgetFull(this.#entries.size);
		return this.#entries.size;
	}

	/**
	 * Takes from each bucket, or from none where one is empty.
	 * @param tokens 1, or 0 to look only
	 * @returns in the order of `buckets`
	 */
	take(buckets: readonly Bucket[], tokens: number): Level[] {
		const now = this.#now();
		const planned = buckets.map((bucket) => {
			const { size, interval, debt } = bucket;
			const most = now + (size + debt) * interval;
			const before = Math.min(Math.max(this.#entries.get(keyOf(bucket))?.full ?? now, now), most);
			const after = before + tokens * interval;
			return { bucket, before, after, wait: after - size * interval - now };
		});
		const isMissing = planned.some(({ wait }) => wait > 0);
		return planned.map(({ bucket, before, after, wait }) => {
			const full = isMissing ? before : after;
			this.#set(bucket, { full, seen: now });
			return levelOf(bucket, wait, full - now, Math.ceil(this.#clock.now() + (full - now) / 1000));
		});
	}

	/** Takes tokens whether they are there or not; what is missing is owed, up to the bucket's `debt`. */
	charge(bucket: Bucket, tokens: number): void {
		const { size, interval, debt } = bucket;
		const now = this.#now();
		const before = Math.max(this.#entries.get(keyOf(bucket))?.full ?? now, now);
		this.#set(bucket, { full: Math.min(before + tokens * interval, now + (size + debt) * interval), seen: now });
	}

	/** Notes what somebody who knows better says: that a bucket is full after `toFull` µs, at least. */
	learn(bucket: Bucket, toFull: number, seen: number): void {
		this.#set(bucket, { full: seen + toFull, seen });
	}

	/** For how long a bucket will not be full, in µs, by what was true before a moment; 0 where it is full or unknown. */
	known(bucket: Bucket, before: number): number {
		const entry = this.#entries.get(keyOf(bucket));
		return entry === undefined || entry.seen >= before ? 0 : Math.max(entry.full - this.#now(), 0);
	}

	#now(): number {
		return Math.floor(this.#clock.monotonic() * 1000);
	}

	#set(bucket: Bucket, entry: Entry): void {
		const key = keyOf(bucket);
		this.#entries.delete(key);
		if (entry.full > entry.seen) this.#entries.set(key, entry);
		this.#forgetFull(2);
	}

	/** Each change looks at the oldest ones: more than it can add. */
	#forgetFull(count: number): void {
		const now = this.#now();
		let left = count;
		for (const [key, { full }] of this.#entries) {
			if (left-- === 0 || (full > now && this.#entries.size <= MAX_BUCKETS)) return;
			this.#entries.delete(key);
		}
	}
}

function keyOf({ owner, name }: Bucket): string {
	return `${name} ${owner}`;
}
