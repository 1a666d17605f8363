import type { Principal } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import { type Bucket, bucketOf, type Level, type RateLimiter } from '../../../shared/limiter/bucket.ts';
import type { Operation } from '../operations/operation.ts';

type Headers = Record<string, string>;

const LIMIT = 'X-RateLimit-Limit';

/** Units of work of one token: an operation of high resource takes one beforehand, which most are worth */
const UNITS_A_TOKEN = 100;
/** Units a second of a plan, for each request a second that it allows */
const UNITS_A_REQUEST = 1_000;
/** s of work that are there at once, and that may be owed: so a request that read a million rows is paid for, too */
const SECONDS_HELD = 20;
const SECONDS_OWED = 200;

/**
 * The rate of an account, over all gateways (contract §7). Whose bucket it is follows from the key alone, never from
 * where a request comes from (promise R6). The figures are the plan's as of the key's last look-up, so a changed plan
 * counts within seconds; the bucket stays as empty as it is.
 */
export class RateLimit {
	readonly #limiter: RateLimiter;

	constructor(limiter: RateLimiter) {
		this.#limiter = limiter;
	}

	/**
	 * Takes a token for a request, of the account's bucket and of the other one that the operation may have, or of neither.
	 * @param headers get `X-RateLimit-…`, of the account's bucket, whatever the answer will be
	 * @throws rate_limit_exceeded where the account's bucket is empty, or that of its work; booking_rate_limit_exceeded
	 *   where only the operation's own one is
	 */
	async take(principal: Principal, operation: Operation, headers: Headers): Promise<void> {
		const buckets = bucketsOf(principal, operation);
		if (buckets.length === 0) return;
		const levels = await this.#limiter.take(buckets);
		tell(buckets[0]!, levels[0]!, headers);
		const wait = Math.max(...levels.map((level) => level.wait));
		if (wait === 0) return;
		const seconds = Math.ceil(wait / 1000);
		const isOwn = operation.ownBucket !== undefined && levels[0]!.wait === 0;
		throw new ApiError(isOwn ? 'booking_rate_limit_exceeded' : 'rate_limit_exceeded', undefined, seconds);
	}

	/**
	 * Takes what an operation of high resource turned out to cost beyond the token that it took. Nobody waits for it.
	 * @param units of work: documents read, rows computed
	 */
	charge({ account_id, package: plan }: Principal, { highResource }: Operation, units: number): void {
		const tokens = Math.ceil(units / UNITS_A_TOKEN) - 1;
		if (highResource && plan.rate !== null && tokens > 0) {
			void this.#limiter.charge(workBucket(account_id, plan.rate), tokens);
		}
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
	if (operation?.highResource) buckets.push(workBucket(account_id, rate));
	return buckets;
}

/** What the dear operations of an account may cost together, however few requests they are. */
function workBucket(account_id: string, planRate: number): Bucket {
	const rate = (Math.max(planRate, 1) * UNITS_A_REQUEST) / UNITS_A_TOKEN;
	return bucketOf(account_id, 'work', rate, rate * SECONDS_HELD, rate * SECONDS_OWED);
}

function tell({ size }: Bucket, { remaining, fullAt }: Level, headers: Headers): void {
	headers[LIMIT] = String(size);
	headers['X-RateLimit-Remaining'] = String(remaining);
	headers['X-RateLimit-Reset'] = String(Math.ceil(fullAt / 1000));
}
