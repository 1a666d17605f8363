import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import { call } from '../../../shared/bus/call.ts';
import type { Params } from '../../../shared/contract/actions.ts';
import type { Person } from '../../../shared/contract/person.ts';
import type { Clock } from '../../../shared/engine/clock.ts';
import { Sightings } from '../../../shared/engine/sightings.ts';
import { type Logger, logFailure } from '../../../shared/log/log.ts';
import { type Deadline, withoutDeadline } from '../../../shared/work/deadline.ts';
import { Periodic } from '../../../shared/work/periodic.ts';
import type { CustomerStore } from '../customer-store.ts';
import { bookingsOf } from '../find-bookings.ts';
import type { FormerCustomers } from '../former-customers.ts';
import type { ErasureDocument, ErasureStore } from './erasure-store.ts';

/** Bookings of a page, which is told by one event */
const PAGE = 1_000;
/** Bookings of one call */
const PIECE = 100;
/** ms for one call */
const CALL_LIMIT = 8_000;
const LOOK_EVERY = 500; // ms
/** ms after which bookings are looked at again: a change that was under way may have told of the person once more */
const SECOND_LOOK = 500;
/** ms that an erasure may stand still in another process before this one goes on with it */
const LEFT_AFTER = 2_000;

interface Parts {
	erasures: ErasureStore;
	customers: CustomerStore;
	former: FormerCustomers;
	/** Has what was removed leave the store's files */
	leaveNoTraces(): Promise<void>;
	broker: ServiceBroker;
	clock: Clock;
	logger: Logger;
}

/**
 * Takes persons out of all that is kept. An erasure is a document: whoever finds it, in whichever process, goes on with it, and
 * each step may be done again, by several at once.
 *
 * Page by page, until nothing is found: bookings, with first answers and events that wait; these events into the log, so that no
 * message that a relay read before can bring them there; the log; the directory. Which bookings a page has is written down
 * first, for a booking that does not name the person any more is found by nobody. Deliveries hold nothing of a person.
 */
export class Erasures {
	readonly #parts: Parts;
	readonly #seen: Sightings<string>;
	readonly #underWay = new Map<string, Promise<void>>();
	readonly #looks: Periodic;
	#stopping = false;
	/** At the start, all that is there was left by another process */
	#isFirst = true;

	constructor(parts: Parts) {
		this.#parts = parts;
		this.#seen = new Sightings(parts.clock);
		const failed = (error: unknown) => logFailure(parts.logger, error, 'erasures could not be looked for');
		this.#looks = new Periodic({ every: LOOK_EVERY, run: () => this.#look(), failed });
	}

	start(): void {
		this.#looks.start();
	}

	/** Resolves when nothing is under way. What is not done is gone on with by another process, or at the next start. */
	async stop(): Promise<void> {
		this.#stopping = true;
		await this.#looks.stop();
		await Promise.all(this.#underWay.values());
	}

	/**
	 * Answers once the erasure is written down, from when on it will be carried out. Of somebody of whom nothing is kept nothing
	 * is written down either. Whom a booking was for is known once its events are delivered: so those that wait are delivered first.
	 */
	async begin({ account_id, person }: Params<'customer.erase'>, deadline: Deadline): Promise<{ bookings: number }> {
		const { broker, erasures, clock } = this.#parts;
		const { booking_id: up_to } = await call(broker, 'booking.upTo', { account_id });
		const bookings = await this.#count({ account_id, up_to }, person);
		if (bookings === 0) return { bookings };
		deadline.assertTimeLeft();
		this.#carryOn(await erasures.begin({ account_id }, person, up_to, clock.now()));
		return { bookings };
	}

	async #count(scope: Pick<ErasureDocument, 'account_id' | 'up_to'>, person: Person): Promise<number> {
		let count = 0;
		for (let after = 0; ; ) {
			const ids = await this.#find(scope, person, after);
			count += ids.length;
			if (ids.length < PAGE) return count;
			after = ids.at(-1)!;
		}
	}

	async #find(
		{ account_id, up_to }: Pick<ErasureDocument, 'account_id' | 'up_to'>,
		person: Person,
		after: number,
	): Promise<number[]> {
		const ids = await bookingsOf(this.#parts, this.#parts.broker, { account_id, person, after, limit: PAGE });
		return ids.filter((id) => id <= up_to);
	}

	async #look(): Promise<void> {
		const found = await this.#parts.erasures.underWay();
		const left = this.#seen.unchangedFor(LEFT_AFTER, new Map(found.map(({ _id, beat }) => [_id, beat])));
		for (const erasure of found) if (this.#isFirst || left.includes(erasure._id)) this.#carryOn(erasure);
		this.#isFirst = false;
	}

	#carryOn(erasure: ErasureDocument): void {
		const { _id } = erasure;
		if (this.#stopping || this.#underWay.has(_id)) return;
		const work = withoutDeadline(() => this.#carryOut(erasure))
			.catch((error: unknown) => logFailure(this.#parts.logger, error, 'an erasure stands still, and is gone on with'))
			.finally(() => this.#underWay.delete(_id));
		this.#underWay.set(_id, work);
	}

	async #carryOut(found: ErasureDocument): Promise<void> {
		for (let erasure: ErasureDocument | undefined = found; erasure !== undefined && !this.#stopping; ) {
			erasure = await this.#step(erasure);
		}
	}

	/** @returns the erasure behind its next step; undefined where it is done, or another process is at it */
	async #step(erasure: ErasureDocument): Promise<ErasureDocument | undefined> {
		const { erasures, leaveNoTraces } = this.#parts;
		const { kind, value, page, at_work } = erasure;
		if (value === '') {
			await leaveNoTraces();
			await erasures.remove(erasure);
			return undefined;
		}
		const person = { kind, value };
		if (at_work.length === 0) {
			const ids = await this.#find(erasure, person, 0);
			return erasures.go(erasure, ids.length === 0 ? { value: '' } : { at_work: ids });
		}
		await this.#erase(erasure, person);
		return erasures.go(erasure, { page: page + 1, at_work: [] });
	}

	async #erase({ account_id, at_work, name, page, asked_at }: ErasureDocument, person: Person): Promise<void> {
		const { broker, customers, former } = this.#parts;
		const options = { timeout: CALL_LIMIT };
		const pieces = Array.from({ length: Math.ceil(at_work.length / PIECE) }, (_, index) =>
			at_work.slice(index * PIECE, (index + 1) * PIECE),
		);
		for (const look of ['first', 'second']) {
			if (look === 'second') await delay(SECOND_LOOK);
			for (const booking_ids of pieces) {
				const asked = { account_id, person, booking_ids };
				await call(broker, 'booking.erasePerson', asked, options);
				await call(broker, 'notifications.erasePerson', asked, options);
				await customers.erase({ account_id }, person, booking_ids);
				await former.forget({ account_id }, person, booking_ids);
			}
		}
		const event = {
			id: `evt_erasure_${name}_${page}`,
			type: 'customer.erased' as const,
			timestamp: asked_at,
			data: { booking_ids: at_work },
			previous: {},
			account_id,
		};
		await call(broker, 'notifications.append', { events: [event] }, options);
		for (const booking_ids of pieces) await call(broker, 'booking.releaseErased', { account_id, booking_ids }, options);
	}
}
