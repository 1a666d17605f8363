import type { Client } from '../../support/http-client.ts';
import { book, newCustomer, slotOn } from '../../support/scheduling.ts';

/** ms */
export interface Figures {
	p50: number;
	p99: number;
}

/** An account that asks for its booking, one request after the other. */
export class Bystander {
	readonly #client: Client;
	readonly #bookingId: number;

	private constructor(client: Client, bookingId: number) {
		this.#client = client;
		this.#bookingId = bookingId;
	}

	static async settle(client: Client): Promise<Bystander> {
		const place = await slotOn(client, { max_bookings: 10_000 });
		const { id } = await book(client, place, newCustomer());
		return new Bystander(client, id);
	}

	/** @throws where it is not served */
	async ask(): Promise<void> {
		(await this.#client.get(`/v1/bookings/${this.#bookingId}`)).mustBe(200);
	}

	/** Asks for so many ms, and tells how long it had to wait. */
	async watch(ms: number): Promise<Figures> {
		const latencies: number[] = [];
		const end = performance.now() + ms;
		while (performance.now() < end) {
			const began = performance.now();
			await this.ask();
			latencies.push(performance.now() - began);
		}
		latencies.sort((a, b) => a - b);
		const at = (share: number) => latencies[Math.floor(latencies.length * share)]!;
		return { p50: at(0.5), p99: at(0.99) };
	}
}
