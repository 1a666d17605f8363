import type { ServiceBroker } from 'moleculer';
import { call } from '../../../shared/bus/call.ts';
import type { Result } from '../../../shared/contract/actions.ts';
import { SKEW } from '../../../shared/engine/clock.ts';
import { type Logger, logFailure } from '../../../shared/log/log.ts';
import { Periodic } from '../../../shared/work/periodic.ts';
import type { BookingDocument, PromisedBooking } from '../document/booking.model.ts';
import type { BookingStore } from '../document/booking-store.ts';
import { prepareDeletion } from '../document/prepare-update.ts';
import type { Sweeper } from '../outbox/sweeper.ts';

const DAY = 24 * 60 * 60 * 1000; // ms
const EVERY = 10_000; // ms
const FIRST = 10_000; // ms: a process that starts has other things to do
/** Bookings that are read, and removed, together */
const PAGE = 100;
/** ms: before each moment that there is */
const EVER = -8_640_000_000_000_000;
/** Pages of a turn. The next one goes on where it ended. */
const PAGES = 50;

/** Bookings of one account that began so long ago that they may have to go. */
interface Page {
	account_id: string;
	bookings: BookingDocument[];
	/** ms: those that ended before it are to go */
	until: number;
}

/**
 * Removes the bookings that ended longer ago than their account keeps them (`accounts set --retention`). Each is removed as a
 * DELETE would do it: one write of it as it was read, with its event in the outbox. So whoever changes or moves it in time keeps
 * it, and of several processes that sweep, one removes it. A page is told before the next one is read, so the outboxes hold a
 * page at most.
 *
 * A round goes over every account that keeps bookings for a time, and over each of its services by the index of their beginnings.
 * It is made in turns of bounded work: where no booking has to go, a service costs one look into that index.
 */
export class RetentionSweeper {
	readonly #store: BookingStore;
	readonly #broker: ServiceBroker;
	readonly #sweeper: Sweeper;
	readonly #logger: Logger;
	readonly #work: Periodic;
	#round: AsyncGenerator<Page, void, void> | undefined;
	/** How many bookings this process has removed */
	removed = 0;

	constructor(store: BookingStore, broker: ServiceBroker, sweeper: Sweeper, logger: Logger) {
		this.#store = store;
		this.#broker = broker;
		this.#sweeper = sweeper;
		this.#logger = logger;
		const failed = (error: unknown) => logFailure(logger, error, 'sweep of old bookings failed, it will be repeated');
		this.#work = new Periodic({ every: EVERY, run: (signal) => this.turn(signal), failed });
	}

	start(): void {
		this.#work.start(FIRST);
	}

	/** Resolves when the turn that is under way has ended. */
	async stop(): Promise<void> {
		await this.#work.stop();
	}

	/** A piece of a round: ends with the round, or after so many pages. After a failure the next turn begins a round. */
	async turn(signal: AbortSignal = new AbortController().signal): Promise<void> {
		const removed = new Map<string, number>();
		try {
			for (let pages = 0; pages < PAGES && !signal.aborted; pages++) {
				this.#round ??= this.#pages();
				const next = await this.#round.next();
				if (next.done) {
					this.#round = undefined;
					break;
				}
				const { account_id } = next.value;
				const count = await this.#remove(next.value);
				if (count > 0) removed.set(account_id, (removed.get(account_id) ?? 0) + count);
			}
		} catch (error) {
			this.#round = undefined;
			throw error;
		} finally {
			for (const [account_id, bookings] of removed) {
				this.#logger.info({ account_id, bookings }, 'bookings removed that ended longer ago than they are kept');
			}
		}
	}

	async *#pages(): AsyncGenerator<Page, void, void> {
		for (let after: string | null = ''; after !== null; ) {
			const accounts: Result<'accounts.retentions'> = await call(this.#broker, 'accounts.retentions', { after });
			for (const account_id of accounts.rows) yield* this.#pagesOf(account_id);
			after = accounts.next;
		}
	}

	async *#pagesOf(account_id: string): AsyncGenerator<Page, void, void> {
		for (const service_id of await call(this.#broker, 'catalog.serviceIds', { account_id })) {
			for (let last: BookingDocument | undefined, isMore = true; isMore; ) {
				// Asked for each page: what an operator changes counts from the next one on.
				const { days } = await call(this.#broker, 'accounts.retention', { account_id });
				if (days === null) return;
				const until = this.#store.clock.now() - days * DAY - SKEW;
				const after = last && { id: last._id, at: last.starts_ms! };
				const window = { after, limit: PAGE };
				const service = { account_id, service_id };
				const bookings = await this.#store.lists.between(service, EVER, until, 'starts_at', window);
				yield { account_id, bookings, until };
				last = bookings.at(-1);
				isMore = bookings.length === PAGE;
			}
		}
	}

	/** @returns how many were removed here: not those that changed since they were read, nor those that another process removed */
	async #remove({ bookings, until }: Page): Promise<number> {
		const old = bookings.filter((booking) => hasEnded(booking, until)) as PromisedBooking[];
		const now = this.#store.clock.now();
		const outcomes = await Promise.allSettled(
			old.map((booking) => this.#store.update(booking, prepareDeletion(booking, now).update)),
		);
		const gone = old.filter((_, index) => isWritten(outcomes[index]!));
		this.removed += gone.length;
		const failed = outcomes.find((outcome) => outcome.status === 'rejected');
		if (failed !== undefined) throw failed.reason; // the sweep of the outboxes tells of the others
		if (gone.length > 0) await this.#sweeper.deliverNow({ ids: gone.map(({ _id }) => _id) });
		return gone.length;
	}
}

/** Bookings of earlier versions say when they end once the upgrade has met them. @param moment ms */
function hasEnded({ promised }: BookingDocument, moment: number): boolean {
	return promised !== undefined && Date.parse(promised.ends_at) < moment;
}

function isWritten(outcome: PromiseSettledResult<string>): boolean {
	return outcome.status === 'fulfilled' && outcome.value === 'written';
}
