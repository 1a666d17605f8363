import { createHash } from 'node:crypto';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { EventList } from '../../shared/contract/schemas/event.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import type { Webhook } from '../../shared/contract/schemas/webhook.ts';
import type { Client } from './http-client.ts';
import { until } from './until.ts';

const PAGE = 1_000;
/** Bookings that are asked for by themselves, of the first page of a list and of each of the others */
const [MANY, FEW] = [100, 5];
/** Characters of an answer that is kept as it is: of longer ones their hash, for an account may have a million bookings */
const LONG = 20_000;
/** ms; of a list of a million, the last pages are far */
const PATIENCE = 600_000;

/**
 * What an account sees of everything that it has: the answers to its GETs byte for byte, by what was asked. Each booking is in a list,
 * and many are asked for by themselves.
 */
export async function everyGet(client: Client, dates: { from: string; to: string }): Promise<Map<string, string>> {
	const answers = new Map<string, string>();
	const get = async <T>(path: string): Promise<T> => {
		const answer = await until(
			async () => {
				const told = await client.get<T>(path);
				return [503, 504].includes(told.status) ? undefined : told; // a busy machine takes longer than a request may
			},
			{ timeout: PATIENCE, what: path },
		);
		const data = answer.mustBe(200);
		const { text } = answer;
		const seen = text.length > LONG ? createHash('sha256').update(text).digest('hex') : text;
		answers.set(path, `${answer.headers.etag ?? ''} ${seen}`);
		return data;
	};
	const services: Service[] = [];
	for (let page = 1; ; page++) {
		const { services: found } = await get<{ services: Service[] }>(`/v1/services?page=${page}&page_size=100`);
		services.push(...found);
		if (found.length < 100) break;
	}
	for (const { id } of services) {
		const path = `/v1/services/${id}`;
		for (const below of ['', '/time-slots', '/schedule', '/date-overrides', '/calendar-feeds']) await get(path + below);
		await get(`${path}/availability?from=${dates.from}&to=${dates.to}`);
		for (let page = 1; ; page++) {
			const list = await get<{ bookings: Booking[] }>(
				`/v1/bookings?service_id=${id}&page=${page}&page_size=${PAGE}&sort=id`,
			);
			for (const booking of list.bookings.slice(0, page === 1 ? MANY : FEW)) {
				await get(`/v1/bookings/${booking.id}`);
				await get(`/v1/bookings/${booking.id}/customer`);
			}
			if (list.bookings.length < PAGE) break;
		}
	}
	for (let after = 0; ; ) {
		const { events } = await get<EventList>(`/v1/events?after=${after}&limit=100`);
		if (events.length === 0) break;
		after = events.at(-1)!.sequence;
	}
	const { webhooks } = await get<{ webhooks: Webhook[] }>('/v1/webhooks');
	for (const { id } of webhooks) {
		await get(`/v1/webhooks/${id}`);
		await get(`/v1/webhooks/${id}/deliveries?page=1&page_size=100`);
	}
	return answers;
}
