import type { Principal } from '../../../shared/actions.ts';
import { ApiError } from '../../../shared/errors.ts';
import { type Bucket, bucketOf, type Level, type RateLimiter } from '../../../shared/limiter/rate-limiter.ts';
import type { Operation } from '../operations/operation.ts';

type Headers = Record<string, string>;

const LIMIT = 'X-RateLimit-Limit';

/**
 * The rate of an account, over all gateways (contract §7). Whose bucket it is follows from the key alone, never from
 * where a request comes from (musts R6). The figures are the plan's as of the key's last look-up, so a changed plan
 * counts within seconds; the bucket stays as empty as it is.
 */
export class RateLimit {
	readonly #limiter: RateLimiter;

	constructor(limiter: RateLimiter) {
		this.#limiter = limiter;
	}

	/**
	 * Takes a token for a request, of the account's bucket and of the operation's own one, or of neither.
	 * @param headers get `X-RateLimit-…`, whatever the answer will be
	 * @throws plan_limit_exceeded where the account's bucket is empty; rate_limit_exceeded where only the other one is
	 */
	async take(principal: Principal, operation: Operation, headers: Headers): Promise<void> {
		const buckets = bucketsOf(principal, operation);
		if (buckets.length === 0) return;
		const levels = await this.#limiter.take(buckets);
		tell(buckets[0]!, levels[0]!, headers);
		const wait = Math.max(...levels.map((level) => level.wait));
		if (wait === 0) return;
		const seconds = Math.ceil(wait / 1000);
		if (levels[0]!.wait === 0) throw new ApiError('rate_limit_exceeded', undefined, seconds);
		throw new ApiError('plan_limit_exceeded', undefined, seconds);
	}

	/** The headers of a refusal that takes no token, such as a 403, unless they are there already. */
	async show(principal: Principal, headers: Headers): Promise<void> {
		const [bucket] = bucketsOf(principal);
		if (bucket === undefined || LIMIT in headers) return;
		const [level] = await this.#limiter.look([bucket]);
		tell(bucket, level!, headers);
	}
}

/**
 * The account's bucket first. A plan without a rate has none; one without a burst has that of a second. Less than one a
 * second, or at once, is no plan but a suspension, which is told otherwise.
 */
function bucketsOf({ account_id, package: plan }: Principal, operation?: Operation): Bucket[] {
	if (plan.rate === null) return [];
	const rate = Math.max(plan.rate, 1);
	const burst = Math.max(plan.burst ?? rate, 1);
	const buckets = [bucketOf(account_id, 'requests', rate, burst)];
	const own = operation?.ownBucket;
	if (own !== undefined) buckets.push(bucketOf(account_id, own, Math.ceil(rate / 2), Math.ceil(burst / 2)));
	return buckets;
}

function tell({ size }: Bucket, { remaining, fullAt }: Level, headers: Headers): void {
	headers[LIMIT] = String(size);
	headers['X-RateLimit-Remaining'] = String(remaining);
	headers['X-RateLimit-Reset'] = String(Math.ceil(fullAt / 1000));
}
