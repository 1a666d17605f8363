import { setTimeout as delay } from 'node:timers/promises';
import { Deadline } from '../../../shared/work/deadline.ts';
import type { BookingDocument } from '../document/booking.model.ts';
import type { BookingStore } from '../document/booking-store.ts';
import type { QuotaRefunds } from './quota-refunds.ts';

const RETRY_EVERY = 1_000; // ms
/** ms that one attempt takes at most */
const ATTEMPT = 3_000;
/** Bookings looked after at a time. Those beyond stay counted, and keep what was reserved for them. */
const MOST = 5_000;

/**
 * Bookings whose creation was answered 504, because the store told nothing about their insert until the deadline. Up to
 * `MOST` of them are fenced as soon as the store answers, while this process lives. Where one never came about, what was
 * reserved for it is given back; where it did, it stays, and the sweep delivers its event.
 */
export class UnsettledBookings {
	readonly #store: BookingStore;
	readonly #refunds: QuotaRefunds;
	readonly #underWay = new Set<Promise<void>>();
	#ending = false;

	constructor(store: BookingStore, refunds: QuotaRefunds) {
		this.#store = store;
		this.#refunds = refunds;
	}

	/** @param month in which it was counted */
	add(document: BookingDocument, month: string): void {
		if (this.#ending || this.#underWay.size >= MOST) return;
		const done = this.#settle(document, month).finally(() => this.#underWay.delete(done));
		this.#underWay.add(done);
	}

	/** For the end of a process: what is not known then is not looked for again. */
	async stop(): Promise<void> {
		this.#ending = true;
		await Promise.all(this.#underWay);
	}

	async #settle(document: BookingDocument, month: string): Promise<void> {
		while (!this.#ending) {
			const fate = await this.#store.settleInsert(document, new Deadline(ATTEMPT)).catch(() => undefined);
			if (fate === 'fenced') this.#refunds.give({ account_id: document.account_id, month }, 1);
			if (fate !== undefined) return;
			await delay(RETRY_EVERY, undefined, { ref: false });
		}
	}
}
