import { setTimeout as wait } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type AccountKey, accountKey } from '../../../shared/contract/actions/common.ts';
import type { NewErasure, NewEvent } from '../../../shared/contract/actions.ts';

import { type Clock, timestamp } from '../../../shared/engine/clock.ts';
import type { Deadline } from '../../../shared/work/deadline.ts';
import { type EventStore, toDocument } from './event-store.ts';

/** A sequence that is durable, and when (ms) that was last seen. */
interface Known {
	sequence: number;
	at: number;
}

/** ms that a known sequence may be built on; far less than the 30 days that events are kept */
const KNOWN_FOR = 600_000;
const KNOWN_ACCOUNTS = 10_000;
/** ms; longest pause before an insert that was refused twice is tried anew */
const LONGEST_PAUSE = 10;

/**
 * Each account's events, numbered from 1 without a gap, whatever runs at once and whatever dies.
 *
 * Every insert is an ordered `insertMany` of consecutive numbers. It begins right behind an event that is durable: one
 * that a majority read showed, or that a majority acknowledged. From that follows:
 *
 * - **No gap.** A number is only ever written behind its predecessor: the first of an insert, because that was durable
 *   before the insert was sent; the others, because an ordered insert ends at the first document that is refused. This
 *   holds as well for an insert that dies half-way, and for one whose outcome is unknown and that lands late: its
 *   predecessor is still there, and a number that was taken meanwhile refuses it and all behind it.
 * - **No number twice, no event twice.** The unique indexes on account and sequence, and on the event's id, refuse it.
 *   An event that is there already ends the insert where it stands; what is still missing then gets new numbers.
 * - **Acknowledged means durable.** Either the insert was acknowledged, or a majority read shows the event. What a
 *   duplicate key hints at, but no read shows yet, is tried anew.
 * - **Visible in order.** A number was written in the same ordered insert as its predecessor, or after that was durable.
 *   So what shows the one shows the other: a transaction of SQLite or PostgreSQL, a majority snapshot of MongoDB.
 * - **What is known is a hint.** The index refuses a number that another process took. It could not refuse one that was
 *   taken, then swept: so nothing is built on what was last seen longer than `KNOWN_FOR` ago. The sweep keeps each
 *   account's newest event, so the read that replaces the hint finds the end of the log.
 */
export class EventLog {
	readonly #store: EventStore;
	readonly #clock: Clock;
	readonly #known = new LRUCache<AccountKey, Known>({ max: KNOWN_ACCOUNTS });

	constructor(store: EventStore, clock: Clock) {
		this.#store = store;
		this.#clock = clock;
	}

	/**
	 * Appends what is not there yet, in the order given. May be repeated, and may run at once with itself anywhere.
	 *
	 * @param events of this account, each id once
	 * @throws gateway_timeout, or what the store throws; some of the events may be in the log then, or get there later
	 */
	async append(account_id: string, events: (NewEvent | NewErasure)[], deadline: Deadline): Promise<void> {
		let missing = events;
		for (let attempt = 1; ; attempt++) {
			deadline.assertTimeLeft();
			if (await this.#insert(account_id, missing)) return;
			[missing] = await Promise.all([this.#missing(account_id, missing), this.#readLast(account_id)]);
			if (missing.length === 0) return;
			if (attempt > 1) await wait(Math.random() * LONGEST_PAUSE);
		}
	}

	/** @returns false where the store refused a document: a number or an event that is there, or a deadlock */
	async #insert(account_id: string, events: (NewEvent | NewErasure)[]): Promise<boolean> {
		const last = await this.#lastSequence(account_id);
		const now = this.#clock.now();
		const appendedAt = timestamp(now);
		const documents = events.map((event, index) => toDocument(event, last + 1 + index, appendedAt));
		if (!(await this.#store.insert(documents))) return false;
		this.#known.set(accountKey({ account_id }), { sequence: last + events.length, at: now });
		return true;
	}

	/** A sequence that is durable and was the account's newest a moment ago; 0 where it has none. */
	async #lastSequence(account_id: string): Promise<number> {
		const known = this.#known.get(accountKey({ account_id }));
		if (known && Math.abs(this.#clock.now() - known.at) < KNOWN_FOR) return known.sequence;
		return this.#readLast(account_id);
	}

	async #readLast(account_id: string): Promise<number> {
		const at = this.#clock.now();
		const key = accountKey({ account_id });
		const sequence = await this.#store.newestSequence(account_id, this.#known.get(key)?.sequence);
		this.#known.set(key, { sequence, at });
		return sequence;
	}

	async #missing(account_id: string, events: (NewEvent | NewErasure)[]): Promise<(NewEvent | NewErasure)[]> {
		const ids = events.map((event) => event.id);
		const there = await this.#store.present(account_id, ids);
		return events.filter((event) => !there.has(event.id));
	}
}
