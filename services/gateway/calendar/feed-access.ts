import { LRUCache } from 'lru-cache';
import { type Caller, call } from '../../../shared/bus/call.ts';
import type { FoundFeed } from '../../../shared/contract/actions.ts';
import { ApiError, isError } from '../../../shared/contract/errors.ts';
import type { Clock } from '../../../shared/engine/clock.ts';
import { bucketOf, type RateLimiter } from '../../../shared/limiter/bucket.ts';
import { LocalBuckets } from '../../../shared/limiter/local-buckets.ts';
import { hashFeedToken, tokenOf } from '../../../shared/secrets/feed-token.ts';
import type { FailedAuthentication } from '../authentication/failed-authentication.ts';
import type { Exchange } from '../pipeline/exchange.ts';

/** Reads of a feed a second, and at once */
const A_SECOND = 1 / 60;
const AT_ONCE = 1;
/** Look-ups of a token a second, and at once, in this process: however often it is asked for, the store is not */
const LOOK_UPS = { A_SECOND: 1, AT_ONCE: 5 };
const MAX_FEEDS = 10_000;

/**
 * Who may read a calendar feed: whoever has its token, once a minute. A token that leads to nothing counts as a failed
 * authentication of its address, so guessing is limited as it is with keys. Nothing is remembered of a feed but that it was
 * there: it is looked up for each read, and one that was deleted is gone at once.
 */
export class FeedAccess {
	readonly #caller: Caller;
	readonly #limiter: RateLimiter;
	readonly #failed: FailedAuthentication;
	readonly #lookUps: LocalBuckets;
	/** Tokens that were good when they were last looked up, by hash: looking again is not for a stranger */
	readonly #onceGood = new LRUCache<string, true>({ max: MAX_FEEDS });

	constructor(caller: Caller, limiter: RateLimiter, failed: FailedAuthentication, clock: Clock) {
		this.#caller = caller;
		this.#limiter = limiter;
		this.#failed = failed;
		this.#lookUps = new LocalBuckets(clock);
	}

	/**
	 * @param file the last segment of the address
	 * @throws calendar_feed_not_found, one and the same for a token that is malformed, unknown or deleted, and where the service is
	 *   gone; account_suspended, calendar_feed_rate_limit_exceeded; rate_limit_exceeded after too many that are not found
	 */
	async open(file: string, exchange: Exchange): Promise<FoundFeed> {
		const token = tokenOf(file);
		const feed = token === undefined ? null : await this.#find(hashFeedToken(token), exchange);
		if (feed === null) throw this.#notFound(exchange);
		const { account_id, feed_id } = feed;
		exchange.accountId = account_id;
		if (await call(this.#caller, 'accounts.isSuspended', { account_id }, optionsOf(exchange))) {
			throw new ApiError('account_suspended');
		}
		const [level] = await this.#limiter.take([bucketOf(account_id, `calendar feed ${feed_id}`, A_SECOND, AT_ONCE)]);
		if (level!.wait > 0) throw tooOften(level!.wait);
		return feed;
	}

	async #find(hash: string, exchange: Exchange): Promise<FoundFeed | null> {
		const [level] = this.#lookUps.take([bucketOf(hash, 'look-ups', LOOK_UPS.A_SECOND, LOOK_UPS.AT_ONCE)], 1);
		if (level!.wait > 0) throw tooOften(level!.wait);
		const end = await this.#permit(hash, exchange);
		try {
			const feed = await call(this.#caller, 'catalog.findFeed', { hash }, optionsOf(exchange));
			if (feed === null) this.#onceGood.delete(hash);
			else this.#onceGood.set(hash, true);
			return feed;
		} finally {
			end();
		}
	}

	async #permit(hash: string, { request, deadline }: Exchange): Promise<() => void> {
		if (this.#onceGood.has(hash)) return () => {};
		for (;;) {
			deadline.assertTimeLeft();
			const turn = this.#failed.permit(hash, request);
			if (typeof turn === 'function') return turn;
			await turn;
		}
	}

	#notFound({ request }: Exchange): unknown {
		const refusal = this.#failed.judge(new ApiError('invalid_api_key'), request);
		return isError(refusal, 'invalid_api_key') ? new ApiError('calendar_feed_not_found') : refusal;
	}
}

function tooOften(wait: number): ApiError {
	return new ApiError('calendar_feed_rate_limit_exceeded', undefined, Math.ceil(wait / 1000));
}

function optionsOf({ requestId, deadline }: Exchange) {
	return { requestID: requestId, timeout: Math.ceil(deadline.remaining()) };
}
