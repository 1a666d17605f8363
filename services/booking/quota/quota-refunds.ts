import { setTimeout as delay } from 'node:timers/promises';
import { accountKey } from '../../../shared/contract/actions/common.ts';
import type { Params } from '../../../shared/contract/actions.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import { SerialBatchesByKey } from '../../../shared/engine/serial-batches.ts';
import { type Logger, logFailure } from '../../../shared/log/log.ts';

type Refund = Params<'accounts.releaseBookings'>;
type Given = Pick<Refund, 'account_id' | 'month' | 'count'>;

const RETRY_EVERY = 1_000; // ms

/**
 * Gives back bookings of the months' quotas that were reserved and not made: beside the request, again and again until
 * it is done, so that a fault of bus or store costs an account nothing; only a crash does (promise R7).
 *
 * The refunds of one account and month leave one after the other, each with a number of its own that all its attempts
 * carry: the row remembers the last one, so a refund whose answer was lost is carried out once.
 */
export class QuotaRefunds {
	readonly #by = randomBase62(10);
	readonly #send: (given: Refund) => Promise<unknown>;
	readonly #logger: Logger;
	readonly #batches = new SerialBatchesByKey<Given, void>(
		(together) => this.#sendTogether(together),
		(sendFirst) => sendFirst(), // at once
	);
	readonly #underWay = new Set<Promise<void>>();
	#lastNumber = 0;
	#ending = false;

	constructor(send: (given: Refund) => Promise<unknown>, logger: Logger) {
		this.#send = send;
		this.#logger = logger;
	}

	give({ account_id, month }: Omit<Given, 'count'>, count: number): void {
		if (count === 0) return;
		const sent = this.#batches.ask(accountKey({ account_id }, month), { account_id, month, count });
		const done = sent.finally(() => this.#underWay.delete(done));
		this.#underWay.add(done);
	}

	/** For the end of a process: what cannot be given back now is not tried again. */
	async stop(): Promise<void> {
		this.#ending = true;
		await Promise.all(this.#underWay);
	}

	async #sendTogether(together: Given[]): Promise<undefined[]> {
		const { account_id, month } = together[0]!;
		const count = together.reduce((sum, given) => sum + given.count, 0);
		await this.#untilDone({ account_id, month, count, by: this.#by, number: ++this.#lastNumber });
		return together.map(() => undefined);
	}

	async #untilDone(given: Refund): Promise<void> {
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
