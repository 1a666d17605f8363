import type { AvailabilityEntry } from '../../../shared/contract/schemas/availability.ts';
import type { Booking, BookingList } from '../../../shared/contract/schemas/booking.ts';
import { dateOn } from '../../support/calendar.ts';
import type { Answer, Client } from '../../support/http-client.ts';
import type { Command } from './commands.ts';
import type { Content } from './oracle.ts';

/** The API with the names of the oracle: its bookings and slots by number. */
export class Driver {
	readonly #client: Client;
	readonly #slots: number[];
	readonly #service: number;
	readonly ids: number[] = [];

	constructor(client: Client, service: number, slots: number[]) {
		this.#client = client;
		this.#service = service;
		this.#slots = slots;
	}

	send(command: Command): Promise<Answer<Booking>> {
		const client = this.#client;
		const path = 'booking' in command ? `/v1/bookings/${this.ids[command.booking] ?? 999_999_999}` : '';
		switch (command.kind) {
			case 'create': {
				const body = {
					time_slot_id: this.#slots[command.slot],
					date: dateOn(1, command.week),
					customer_email: command.email,
				};
				const headers: Record<string, string> = command.key === null ? {} : { 'idempotency-key': `k${command.key}` };
				return client.post('/v1/bookings', body, { headers });
			}
			case 'status': {
				const reason = command.status === 'cancelled' ? { cancel_reason: 'ill' } : {};
				const date = command.week === null ? {} : { date: dateOn(1, command.week) };
				return client.patch(path, { status: command.status, ...reason, ...date });
			}
			case 'note':
				return client.patch(path, { message: command.message === null ? null : 'note' });
			case 'customer':
				return client.patch(`${path}/customer`, { email: command.email });
			case 'stale':
				return client.patch(path, { message: 'never' }, { headers: { 'if-match': '"999"' } });
			case 'get':
				return client.get(path);
			case 'delete':
				return client.delete(path) as Promise<Answer<never>>;
			case 'maximum':
				return client.patch('/v1/time-slots', {
					time_slots: [{ id: this.#slots[command.slot], max_bookings: command.max }],
				});
			case 'delete service':
				return client.delete(`/v1/services/${this.#service}`) as Promise<Answer<never>>;
		}
	}

	/** A booking as the oracle would say it. */
	content({ time_slot_id, date, status, message, customer, version }: Booking): Content {
		const week = date === dateOn(1) ? 0 : 1;
		return { slot: this.#slots.indexOf(time_slot_id), week, status, message, email: customer.email, version };
	}

	async listed(): Promise<Content[]> {
		const query = { service_id: this.#service, page: 1, page_size: 1000 };
		const list = (await this.#client.get<BookingList>('/v1/bookings', { query })).mustBe(200);
		return list.bookings.map((booking) => this.content(booking));
	}

	async availability(): Promise<AvailabilityEntry[]> {
		const query = { from: dateOn(1), to: dateOn(1, 1) };
		const path = `/v1/services/${this.#service}/availability`;
		const { availability } = (await this.#client.get<{ availability: AvailabilityEntry[] }>(path, { query })).mustBe(
			200,
		);
		return availability;
	}
}
