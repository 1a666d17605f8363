import { setTimeout as delay } from 'node:timers/promises';
import { monthOf } from '../../../shared/calendar/plain-date.ts';
import { type AccountKey, accountKey } from '../../../shared/contract/actions/common.ts';
import type { Params } from '../../../shared/contract/actions.ts';
import type { Clock } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import type { QuotaRefunds } from './quota-refunds.ts';

type Asked = Params<'accounts.reserveBookings'>;
type Send = (asked: Asked) => Promise<{ granted: number }>;

interface Waiting {
	count: number;
	resolve: (reserved: { granted: number; month: string }) => void;
	reject: (error: unknown) => void;
}

const RETRY_EVERY = 1_000; // ms

/**
 * Bookings of accounts' months, reserved before they are made.
 *
 * - What is asked for at the same moment for one account is one reservation, granted in order.
 * - The reservations of one account leave one after the other, each with a number of its own.
 * - Where an answer is lost, its callers are told so. The reservation is asked for again with its number until its outcome
 *   is known, and then given back: a fault of the bus or the store costs an account nothing, only a crash does.
 * - Until then, whoever comes waits for the next attempt and fails if that fails. So nobody waits for longer than one
 *   attempt, and memory holds one reservation an account.
 */
export class QuotaReservations {
	readonly #by = `b${randomBase62(10)}`;
	readonly #lines = new Map<AccountKey, Waiting[]>();
	readonly #underWay = new Set<Promise<void>>();
	readonly #send: Send;
	readonly #refunds: QuotaRefunds;
	readonly #clock: Clock;
	#lastNumber = 0;
	#ending = false;

	constructor(send: Send, refunds: QuotaRefunds, clock: Clock) {
		this.#send = send;
		this.#refunds = refunds;
		this.#clock = clock;
	}

	/** @returns how many are granted, and the month (`YYYY-MM`) in which they are counted */
	reserve(account_id: string, count: number): Promise<{ granted: number; month: string }> {
		return new Promise((resolve, reject) => {
			const waiting = { count, resolve, reject };
			const key = accountKey({ account_id });
			const line = this.#lines.get(key);
			if (line !== undefined) {
				line.push(waiting);
				return;
			}
			const begun = [waiting];
			this.#lines.set(key, begun);
			setImmediate(() => {
				const served = this.#serve(account_id, begun).finally(() => this.#underWay.delete(served));
				this.#underWay.add(served);
			});
		});
	}

	/** For the end of a process: what is not known then is not asked for again. */
	async stop(): Promise<void> {
		this.#ending = true;
		await Promise.all(this.#underWay);
	}

	async #serve(account_id: string, line: Waiting[]): Promise<void> {
		while (line.length > 0) {
			const batch = line.splice(0);
			const count = batch.reduce((sum, waiting) => sum + waiting.count, 0);
			const month = monthOf(this.#clock.now());
			const asked: Asked = { account_id, by: this.#by, number: ++this.#lastNumber, month, count };
			try {
				share(batch, month, (await this.#send(asked)).granted);
			} catch (error) {
				fail(batch, error);
				await this.#giveBack({ ...asked, again: true }, line);
			}
		}
		this.#lines.delete(accountKey({ account_id }));
	}

	/** Asks again until it is known what was reserved, and gives it back. @param line who comes meanwhile */
	async #giveBack(asked: Asked, line: Waiting[]): Promise<void> {
		while (!this.#ending) {
			try {
				const { granted } = await this.#send(asked);
				this.#refunds.give(asked, granted);
				return;
			} catch (error) {
				fail(line.splice(0), error);
				await delay(RETRY_EVERY, undefined, { ref: false });
			}
		}
		fail(line.splice(0), new Error('the process ends'));
	}
}

function share(batch: Waiting[], month: string, granted: number): void {
	let left = granted;
	for (const { count, resolve } of batch) {
		const given = Math.min(count, left);
		left -= given;
		resolve({ granted: given, month });
	}
}

function fail(batch: Waiting[], error: unknown): void {
	for (const { reject } of batch) reject(error);
}
