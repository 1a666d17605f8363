import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { BookingEvent } from '../../shared/contract/schemas/event.ts';
import type { WebhookWithSecret } from '../../shared/contract/schemas/webhook.ts';
import { randomBase62 } from '../../shared/engine/ids.ts';
import { expectOutcomes } from '../proof/outcomes.ts';
import { createSurely } from '../support/create-surely.ts';
import { eventsOf } from '../support/feed.ts';
import type { Client } from '../support/http-client.ts';
import { slotOn } from '../support/scheduling.ts';
import { until } from '../support/until.ts';
import { idOf, type WebhookReceiver } from '../support/webhook-receiver.ts';

/** ms between two changes of an account */
const PACE = 40;

/** ms between two looks at the whole feed, or at all that a webhook got */
const LOOK = 200;

/** An account that books and changes while processes die, and what must come of it. */
export class WebhookStory {
	readonly #client: Client;
	readonly #receiver: WebhookReceiver;
	readonly #webhooks: (WebhookWithSecret & { path: string })[] = [];
	#place!: Awaited<ReturnType<typeof slotOn>>;
	#ended = false;
	#running: Promise<void> = Promise.resolve();

	constructor(client: Client, receiver: WebhookReceiver) {
		this.#client = client;
		this.#receiver = receiver;
	}

	/** Begins to book, with two webhooks: one gets everything, one what is confirmed. */
	async start(): Promise<void> {
		this.#place = await slotOn(this.#client, { max_bookings: 10_000 });
		for (const events of [['*'], ['booking.confirmed']]) {
			const path = `/${randomBase62(12)}`;
			const body = { url: this.#receiver.url(path), events };
			const webhook = await createSurely<WebhookWithSecret>(this.#client, '/v1/webhooks', body);
			this.#receiver.judge(path, webhook.secret);
			this.#webhooks.push({ ...webhook, path });
		}
		this.#running = this.#book();
	}

	async end(): Promise<void> {
		this.#ended = true;
		await this.#running;
	}

	/** W1, once everything runs again. @returns how many events there were */
	async check(): Promise<number> {
		const bookings = await this.#bookings();
		const expected = bookings.flatMap(({ id, version }) => versions(version).map((each) => `evt_${id}_${each}`));
		const events = await until(
			async () => {
				const found = await eventsOf(this.#client);
				return found.length >= expected.length && found;
			},
			{ interval: LOOK, what: `${expected.length} events` },
		);
		expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
		expect(new Set(events.map(({ id }) => id))).toEqual(new Set(expected)); // no change without its event, none made up
		await expectOutcomes(this.#client);
		const [all, confirmed] = this.#webhooks;
		await this.#arrives(all!, events);
		await this.#arrives(
			confirmed!,
			events.filter(({ type }) => type === 'booking.confirmed'),
		);
		return events.length;
	}

	/** Each at least once, with its own id and the same body every time, and nothing else. */
	async #arrives({ path }: { path: string }, events: BookingEvent[]): Promise<void> {
		const bodies = new Map(
			events.map(({ id, type, timestamp, sequence, data, previous }) => [
				id,
				JSON.stringify({ type, timestamp, sequence, data, previous }),
			]),
		);
		const missing = () => {
			const there = new Set(this.#receiver.of(path).map(idOf));
			return [...bodies.keys()].filter((id) => !there.has(id));
		};
		await until(() => missing().length === 0, { interval: LOOK }).catch(() => expect(missing()).toEqual([]));
		const received = this.#receiver.of(path);
		expect(received.filter(({ verified }) => !verified).map(idOf)).toEqual([]);
		expect(received.filter((each) => each.body !== bodies.get(idOf(each))).map(idOf)).toEqual([]);
	}

	async #book(): Promise<void> {
		while (!this.#ended) {
			const body = { time_slot_id: this.#place.slot.id, date: this.#place.date };
			const created = await this.#try(() => this.#client.post<Booking>('/v1/bookings', body), 201);
			if (created !== undefined) {
				await this.#try(() => this.#client.patch<Booking>(`/v1/bookings/${created.id}`, { status: 'confirmed' }), 200);
			}
			await delay(PACE);
		}
	}

	/** Whatever is answered but a success may or may not have happened. */
	async #try(send: () => Promise<{ status: number; data: Booking }>, status: number): Promise<Booking | undefined> {
		const answer = await Promise.resolve()
			.then(send)
			.catch(() => undefined);
		if (answer?.status !== status) return undefined;
		return answer.data;
	}

	async #bookings(): Promise<Booking[]> {
		const all: Booking[] = [];
		for (let page = 1; all.length === (page - 1) * 1000; page++) {
			const query = { service_id: this.#place.service.id, page, page_size: 1000 };
			all.push(...(await this.#client.get<{ bookings: Booking[] }>('/v1/bookings', { query })).mustBe(200).bookings);
		}
		return all;
	}
}

function versions(last: number): number[] {
	return Array.from({ length: last }, (_, index) => index + 1);
}
