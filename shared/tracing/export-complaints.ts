import { type Clock, systemClock } from '../engine/clock.ts';
import type { Logger } from '../log/log.ts';

/** ms between two lines */
const AT_MOST_EVERY = 60_000;

/** Says that spans are lost: once, and then once a minute for as long as it lasts. */
export class ExportComplaints {
	readonly #logger: Logger;
	readonly #clock: Clock;
	#toldAt: number | undefined;
	#failures = 0;

	constructor(logger: Logger, clock: Clock = systemClock) {
		this.#logger = logger;
		this.#clock = clock;
	}

	tell(reason: string): void {
		this.#failures++;
		const now = this.#clock.monotonic();
		if (this.#toldAt !== undefined && now - this.#toldAt < AT_MOST_EVERY) return;
		this.#toldAt = now;
		this.#logger.warn({ reason, failures: this.#failures }, 'spans of traces are lost; nothing else is');
	}

	/** Spans arrived. */
	settle(): void {
		if (this.#failures === 0) return;
		this.#logger.info({ failures: this.#failures }, 'spans of traces arrive again');
		this.#failures = 0;
	}
}
