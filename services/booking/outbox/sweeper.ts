import { Sightings } from '../../../shared/engine/sightings.ts';
import type { Logger } from '../../../shared/log/log.ts';
import { logFailure } from '../../../shared/log/log.ts';
import { withoutDeadline } from '../../../shared/work/deadline.ts';
import { Periodic } from '../../../shared/work/periodic.ts';
import type { BookingStore } from '../document/booking-store.ts';
import type { Relay } from './relay.ts';
import { deliverAll, sweepOutboxes, sweepTombstones } from './sweep-outboxes.ts';

const OUTBOX_EVERY = 500; // ms: an event is in the feed within 2 s of a restart
const TOMBSTONES_EVERY = 10 * 60 * 1000; // ms

/** The sweeps of a process. Several processes that sweep do no harm. */
export class Sweeper {
	readonly #store: BookingStore;
	readonly #relay: Relay;
	readonly #logger: Logger;
	readonly #periodic: readonly Periodic[];
	readonly #watched: Sightings;
	#extra: Promise<void> = Promise.resolve();

	constructor(store: BookingStore, relay: Relay, logger: Logger) {
		this.#store = store;
		this.#relay = relay;
		this.#logger = logger;
		this.#watched = new Sightings(store.clock);
		let first = true; // at the start, whatever is there was left by another process
		const outboxes = async () => {
			await sweepOutboxes(store, relay, this.#watched, first);
			first = false;
		};
		const failed = (error: unknown) => this.#logFailure(error);
		this.#periodic = [
			new Periodic({ every: OUTBOX_EVERY, run: outboxes, failed }),
			new Periodic({ every: TOMBSTONES_EVERY, run: () => sweepTombstones(store), failed }),
		];
	}

	start(): void {
		for (const sweep of this.#periodic) sweep.start();
	}

	/** Delivers, at once, the events of a service's bookings that were just removed. */
	sweepService(service_id: number): void {
		const sweep = () =>
			withoutDeadline(() => deliverAll(this.#store, this.#relay, { relay_at: { $gt: 0 }, service_id }));
		this.#extra = this.#extra.then(sweep).then(
			() => undefined,
			(error: unknown) => this.#logFailure(error),
		);
	}

	/** ms for which this process has seen the same events wait, whatever the clock of their process said. */
	oldestSeen(): number {
		return this.#watched.longest();
	}

	/** The same of one booking's events, as long as they look young. */
	seenFor(booking_id: number): number {
		return this.#watched.of(booking_id);
	}

	/** Resolves when the sweeps that are under way have ended. */
	async stop(): Promise<void> {
		await Promise.all([...this.#periodic.map((sweep) => sweep.stop()), this.#extra]);
	}

	#logFailure(error: unknown): void {
		logFailure(this.#logger, error, 'sweep of the outboxes failed, it will be repeated');
	}
}
