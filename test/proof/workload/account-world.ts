import { setTimeout as delay } from 'node:timers/promises';
import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import type { TimeSlot } from '../../../shared/contract/schemas/time-slot.ts';
import { dateOn } from '../../support/calendar.ts';
import { slotInput } from '../../support/scheduling.ts';
import { until } from '../../support/until.ts';
import type { Asked } from '../history.ts';
import type { RecordedApi, Told } from './recorded-api.ts';

/** Bookings that clients know of at most: the older ones are forgotten, so that the living ones stay hot */
const KNOWN = 60;

/** What the clients of one account know: slots to book, and bookings to change. */
export class AccountWorld {
	readonly api: RecordedApi;
	/** Of the services that stay, then those of the one that is deleted and made again */
	slots: TimeSlot[] = [];
	#passing: number | undefined;
	#known: number[] = [];
	/** Creations with a key that were answered, or not; to be sent again */
	readonly keyed: Extract<Asked, { kind: 'create' }>[] = [];

	constructor(api: RecordedApi) {
		this.api = api;
	}

	/** Services that stay: a slot of few places, and one of more. And one that does not stay. */
	async prepare(maxima: readonly number[]): Promise<void> {
		for (const max_bookings of maxima) {
			const { slots } = await until(() => this.#open(max_bookings), { what: 'a service to book' });
			this.slots.push(...slots);
		}
		await this.replaceService(3);
	}

	/** A Monday's date. */
	date(week: 0 | 1): string {
		return dateOn(1, week);
	}

	slot(choice: number): TimeSlot {
		return this.slots[Math.floor(choice * this.slots.length)]!;
	}

	booking(choice: number): number | undefined {
		return this.#known[Math.floor(choice * this.#known.length)];
	}

	learn(told: Told): void {
		if (told.outcome !== 'ok') return;
		this.#known.push((told.data as Booking).id);
		if (this.#known.length > KNOWN) this.#known.shift();
	}

	forget(id: number): void {
		this.#known = this.#known.filter((other) => other !== id);
	}

	/** Deletes the service that does not stay, and makes another one. While it cannot, there is none. */
	async replaceService(max_bookings: number): Promise<void> {
		if (this.#passing !== undefined) {
			const service_id = this.#passing;
			const { status } = await this.api.ask(0, { kind: 'delete service', service_id });
			if (status !== 200 && status !== 404) return;
			this.#passing = undefined;
			this.slots = this.slots.filter((slot) => slot.service_id !== service_id);
		}
		const opened = await this.#open(max_bookings);
		if (opened === undefined) return;
		this.#passing = opened.service_id;
		this.slots.push(...opened.slots);
	}

	/**
	 * A service and its slots, listed before anybody else may know them: that is how the checker learns their maxima.
	 * @returns undefined where it was not answered; such a service is left alone
	 */
	async #open(max_bookings: number): Promise<{ service_id: number; slots: TimeSlot[] } | undefined> {
		const body = { time_slots: [slotInput({ max_bookings })] };
		const made = await this.api.ask(0, { kind: 'create service', body });
		if (made.outcome !== 'ok') return undefined;
		const { id: service_id } = made.data as { id: number };
		for (let attempt = 1; attempt <= 50; attempt++) {
			const listed = await this.api.ask(0, { kind: 'list slots', service_id });
			if (listed.outcome === 'ok') return { service_id, slots: listed.data as TimeSlot[] };
			await delay(200);
		}
		return undefined;
	}
}
