import type { AtRest, Availability, Booking, Delivery, Event, Usage, Webhook } from './oracles/evidence.ts';
import type { Client } from './workload/client.ts';
import { dataOf, type Operation } from './workload/history.ts';

/** Occurrences of an account whose availability is tried */
const TRIED = 12;

/** Reads all that an account's own key shows when all is at rest, and tries whether what is said to be free is. */
export async function lookAt(client: Client, atRest: AtRest): Promise<void> {
	const { own } = client;
	atRest.events = await all<Event>(client, '/v1/events', 'events');
	atRest.usage = await read<Usage>(client, '/v1/usage');
	const { services } = await read<{ services: { id: number }[] }>(client, '/v1/services', { page_size: 1000 });
	for (const { id } of services) {
		atRest.services.push(id);
		const query = { service_id: id, page_size: 1000 };
		for (let page = 1, pages = 1; page <= pages; page++) {
			const list = await read<{ bookings: Booking[]; pagination: { total_pages: number } }>(client, '/v1/bookings', {
				...query,
				page,
			});
			atRest.bookings.push(...list.bookings);
			pages = list.pagination.total_pages;
		}
		const days = { from: '2026-03-01', to: '2026-03-28' };
		const path = `/v1/services/${id}/availability`;
		atRest.availability.push(...(await read<{ availability: Availability[] }>(client, path, days)).availability);
	}
	const { webhooks } = await read<{ webhooks: Webhook[] }>(client, '/v1/webhooks', { page_size: 1000 });
	for (const webhook of webhooks) {
		const path = `/v1/webhooks/${webhook.id}/deliveries`;
		const deliveries: Delivery[] = [];
		for (let page = 1, pages = 1; page <= pages; page++) {
			const list = await read<{ deliveries: Delivery[]; pagination: { total_pages: number } }>(client, path, {
				page,
				page_size: 1000,
			});
			deliveries.push(...list.deliveries);
			pages = list.pagination.total_pages;
		}
		atRest.webhooks.push({ ...webhook, deliveries });
	}
	if (own.bookingsLimit < Number.POSITIVE_INFINITY) return; // the plan may refuse what is free
	const step = Math.max(1, Math.floor(atRest.availability.length / TRIED));
	const tried = atRest.availability.filter((_, index) => index % step === 0);
	const trials = tried.map(async (row) => {
		const body = { date: row.date, time_slot_id: row.time_slot_id, message: client.mark() };
		return { row, operation: await client.ask({ method: 'POST', path: '/v1/bookings', body }) };
	});
	atRest.trials.push(...(await Promise.all(trials)));
}

type Query = NonNullable<Operation['query']>;

async function read<T>(client: Client, path: string, query: Query = {}): Promise<T> {
	const asked = await client.insist({ method: 'GET', path, query });
	const data = dataOf<T>(asked);
	if (data === undefined) throw new Error(`${path} could not be read: ${JSON.stringify(asked.answer)}`);
	return data;
}

async function all<T extends { sequence: number }>(client: Client, path: string, name: string): Promise<T[]> {
	const found: T[] = [];
	for (let after = 0, more = true; more; ) {
		const page = await read<{ has_more: boolean; next_after: number }>(client, path, { after, limit: 1000 });
		found.push(...(page as never as Record<string, T[]>)[name]!);
		after = page.next_after;
		more = page.has_more;
	}
	return found;
}
