import { setTimeout as delay } from 'node:timers/promises';
import { type Caller, call } from '../../../shared/bus/call.ts';
import type { RequestCount } from '../../../shared/contract/actions.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import type { Logger } from '../../../shared/log/log.ts';
import { logFailure } from '../../../shared/log/log.ts';
import type { RequestCounts } from './quota.ts';

/** ms between two reports: what a crash may lose of the count (promise R7) */
const INTERVAL = 1_000;
/** ms for the answer to a report */
const LIMIT = 2_000;

interface Report {
	/** Stays the same however often it is sent */
	id: string;
	counts: RequestCount[];
}

/**
 * Reports the counts of all accounts to accounts, every second. A report that failed is sent again before anything else,
 * under the same id: if only its answer was lost, `accounts` recognises it. Meanwhile, new requests are still counted.
 */
export class QuotaRecorder {
	readonly #counts: RequestCounts;
	readonly #caller: Caller;
	readonly #logger: Logger;
	#timer: NodeJS.Timeout | undefined;
	/** In the order in which they leave */
	#open: Report[] = [];
	#running: Promise<void> | undefined;
	#isFailing = false;

	constructor(counts: RequestCounts, caller: Caller, logger: Logger) {
		this.#counts = counts;
		this.#caller = caller;
		this.#logger = logger;
	}

	start(): void {
		this.#timer = setInterval(() => {
			this.#counts.forgetIdle();
			void this.#run();
		}, INTERVAL).unref();
	}

	/** Reports all that was counted until now; where that fails it stays for later. Never rejects. */
	async record(): Promise<void> {
		await this.#running; // it may have left without the latest
		await this.#run();
	}

	/** Reports what is left, where accounts answers at once: a process that ends has no time to wait for it. */
	async stop(): Promise<void> {
		clearInterval(this.#timer);
		await Promise.race([this.record(), delay(LIMIT, undefined, { ref: false })]);
	}

	#run(): Promise<void> {
		this.#running ??= this.#reportAll().finally(() => {
			this.#running = undefined;
		});
		return this.#running;
	}

	async #reportAll(): Promise<void> {
		try {
			await this.#sendOpen();
			this.#open = this.#counts.leave().map((counts) => ({ id: randomBase62(10), counts }));
			await this.#sendOpen();
			this.#isFailing = false;
		} catch (error) {
			if (!this.#isFailing) logFailure(this.#logger, error, 'requests not yet recorded');
			this.#isFailing = true;
		}
	}

	async #sendOpen(): Promise<void> {
		for (let report = this.#open[0]; report !== undefined; report = this.#open[0]) {
			const { id, counts } = report;
			const options = { timeout: LIMIT };
			this.#counts.recorded(await call(this.#caller, 'accounts.recordRequests', { report: id, counts }, options));
			this.#open.shift();
		}
	}
}
