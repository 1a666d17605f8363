import { setTimeout as delay } from 'node:timers/promises';
import { type AccountKey, accountKey } from '../../../shared/contract/actions/common.ts';
import type { Params } from '../../../shared/contract/actions.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import type { Logger } from '../../../shared/log/log.ts';
import { logFailure } from '../../../shared/log/log.ts';
import { withoutDeadline } from '../../../shared/work/deadline.ts';

type Return = Params<'accounts.releaseBookings'>;
type AccountMonth = Pick<Return, 'account_id' | 'month'>;

const RETRY_EVERY = 1_000; // ms

/**
 * Gives back bookings of the months' quotas that were reserved and not made: beside the request, again and again until
 * it is done, so that a fault of bus or store costs an account nothing; only a crash does (promise R7).
 *
 * The returns of one account and month leave one after the other, each with a number of its own that all its attempts
 * carry: the row remembers the last one, so a return whose answer was lost is carried out once.
 */
export class BookingReturns {
	readonly #by = randomBase62(10);
	readonly #send: (given: Return) => Promise<unknown>;
	readonly #logger: Logger;
	/** Bookings that are to leave next, by account and month; there is an entry while anything is under way */
	readonly #waiting = new Map<AccountKey, number>();
	readonly #underWay = new Set<Promise<void>>();
	#lastNumber = 0;
	#ending = false;

	constructor(send: (given: Return) => Promise<unknown>, logger: Logger) {
		this.#send = send;
		this.#logger = logger;
	}

	give({ account_id, month }: AccountMonth, count: number): void {
		if (count === 0) return;
		const key = accountKey({ account_id }, month);
		const waiting = this.#waiting.get(key);
		this.#waiting.set(key, (waiting ?? 0) + count);
		if (waiting !== undefined) return;
		const send = () => this.#sendAll(key, { account_id, month });
		const done = withoutDeadline(send).finally(() => this.#underWay.delete(done));
		this.#underWay.add(done);
	}

	/** For the end of a process: what cannot be given back now is not tried again. */
	async stop(): Promise<void> {
		this.#ending = true;
		await Promise.all(this.#underWay);
	}

	async #sendAll(key: AccountKey, of: AccountMonth): Promise<void> {
		for (let count = this.#waiting.get(key)!; count > 0; count = this.#waiting.get(key)!) {
			this.#waiting.set(key, 0);
			await this.#untilDone({ ...of, count, by: this.#by, number: ++this.#lastNumber });
		}
		this.#waiting.delete(key);
	}

	async #untilDone(given: Return): Promise<void> {
		for (let attempt = 1; ; attempt++) {
			try {
				await this.#send(given);
				return;
			} catch (error) {
				const { account_id, count } = given;
				if (attempt === 1) logFailure(this.#logger, error, 'bookings not yet given back', { account_id, count });
				if (this.#ending) return;
				await delay(RETRY_EVERY, undefined, { ref: false });
			}
		}
	}
}
