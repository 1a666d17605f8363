import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import type { BookingEvent, BookingEventList } from '../../../shared/contract/schemas/event.ts';
import type { Service } from '../../../shared/contract/schemas/service.ts';
import type { Answer, Client, RequestOptions } from '../../support/http-client.ts';
import { slotInput } from '../../support/scheduling.ts';
import { until } from '../../support/until.ts';
import type { Answered, Asked, Kind, Outcome } from '../history.ts';
import type { Recorder } from '../recorder.ts';

/** What a client learnt: the data of a success, or why there is none. */
export interface Told {
	outcome: Outcome;
	data: unknown;
	status: number | undefined;
}

interface Sent {
	method: string;
	path: string;
	options?: RequestOptions;
}

/** An account's API; everything that is asked through `ask` is in the history. */
export class RecordedApi {
	readonly account: string;
	readonly #http: Client;
	readonly #recorder: Recorder;

	constructor(account: string, http: Client, recorder: Recorder) {
		this.account = account;
		this.#http = http;
		this.#recorder = recorder;
	}

	/** While no gateway is there, nothing is sent. */
	async ask(client: number, asked: Asked): Promise<Told> {
		await until(() => this.#http.url, { what: 'a gateway' });
		const { method, path, options } = requestOf(asked);
		const op = this.#recorder.invoke(client, this.account, asked);
		try {
			const answered = answeredOf(asked.kind, await this.#http.request(method, path, options));
			return { outcome: this.#recorder.answer(op, answered), data: answered.data, status: answered.status };
		} catch (error) {
			this.#recorder.unknown(op, (error as Error).message);
			return { outcome: 'unknown', data: undefined, status: undefined };
		}
	}

	/** Reads, which are no part of the history: services, their bookings, the feed. */
	async services(): Promise<number[]> {
		const rows = await this.#pages<Service>('/v1/services', 'services', {});
		return rows.map(({ id }) => id);
	}

	bookings(service_id: number): Promise<Booking[]> {
		return this.#pages<Booking>('/v1/bookings', 'bookings', { service_id });
	}

	async events(): Promise<BookingEvent[]> {
		const events: BookingEvent[] = [];
		for (let more = true; more; ) {
			const query = { after: events.at(-1)?.sequence ?? 0, limit: 1000 };
			const page = (await this.#http.get<BookingEventList>('/v1/events', { query })).mustBe(200);
			events.push(...page.events);
			more = page.has_more;
		}
		return events;
	}

	async #pages<Row>(path: string, name: string, query: Record<string, number>): Promise<Row[]> {
		const rows: Row[] = [];
		for (let page = 1; ; page++) {
			const answer = await this.#http.get<Record<string, Row[]>>(path, { query: { ...query, page, page_size: 1000 } });
			const more = answer.mustBe(200)[name]!;
			rows.push(...more);
			if (more.length < 1000) return rows;
		}
	}
}

function requestOf(asked: Asked): Sent {
	switch (asked.kind) {
		case 'create service': {
			const body = { name: 'Proof', timezone: 'Europe/Berlin', ...asked.body };
			return { method: 'POST', path: '/v1/services', options: { body } };
		}
		case 'list slots':
			return { method: 'GET', path: `/v1/services/${asked.service_id}/time-slots` };
		case 'update slots':
			if (asked.service_id !== undefined) {
				const time_slots = asked.body.time_slots.map((slot) => ({ ...slotInput(), ...slot }));
				const path = `/v1/services/${asked.service_id}/schedule`;
				return { method: 'PUT', path, options: { body: { timezone: 'Europe/Berlin', time_slots } } };
			}
			return { method: 'PATCH', path: '/v1/time-slots', options: { body: asked.body } };
		case 'delete service':
			return { method: 'DELETE', path: `/v1/services/${asked.service_id}` };
		case 'create': {
			const headers: Record<string, string> = asked.key === undefined ? {} : { 'idempotency-key': asked.key };
			return { method: 'POST', path: '/v1/bookings', options: { body: asked.body, headers } };
		}
		case 'update':
			return { method: 'PATCH', path: `/v1/bookings/${asked.booking_id}`, options: { body: asked.body } };
		case 'update customer':
			return { method: 'PATCH', path: `/v1/bookings/${asked.booking_id}/customer`, options: { body: asked.body } };
		case 'delete':
			return { method: 'DELETE', path: `/v1/bookings/${asked.booking_id}` };
		case 'get':
			return { method: 'GET', path: `/v1/bookings/${asked.booking_id}` };
		case 'list': {
			const query = { service_id: asked.service_id, page: 1, page_size: asked.page_size };
			return { method: 'GET', path: '/v1/bookings', options: { query } };
		}
		case 'availability': {
			const query = { from: asked.from, to: asked.to };
			return { method: 'GET', path: `/v1/services/${asked.service_id}/availability`, options: { query } };
		}
		case 'events':
			return { method: 'GET', path: '/v1/events', options: { query: { after: asked.after, limit: 100 } } };
		case 'trespass':
			return requestOf(asked.tried);
	}
}

function answeredOf(kind: Kind, answer: Answer): Answered {
	const { status, headers } = answer;
	if (status >= 400) return { status, error: String(answer.body.error) };
	const tag = headers.etag === undefined ? {} : { version: Number(headers.etag.replaceAll('"', '')) };
	const replayed = kind === 'create' ? { replayed: headers['idempotent-replayed'] === 'true' } : {};
	return { status, data: answer.data, ...tag, ...replayed };
}
