import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import type { Webhook } from '../../shared/contract/schemas/webhook.ts';
import { expectError } from '../support/expectations.ts';
import type { Client } from '../support/http-client.ts';
import { book, slotOn } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';
import { until } from '../support/until.ts';

/** Sends a DELETE and closes the connection before any answer can come. */
function deleteAndHangUp({ url, key }: Client, path: string): Promise<void> {
	const { hostname, port } = new URL(url);
	const head = [`DELETE ${path} HTTP/1.1`, `Host: ${hostname}`, `Authorization: Bearer ${key}`, '', ''].join('\r\n');
	return new Promise((resolve, reject) => {
		const socket = connect(Number(port), hostname, () => socket.write(head, () => socket.resetAndDestroy()));
		socket.on('close', () => resolve());
		socket.on('error', reject);
	});
}

/** What has no GET of its own is looked for in its list. */
async function isGone(client: Client, kind: string, list: string, id: number): Promise<boolean> {
	if (!kind.includes(' ')) return (await client.get(`${list}/${id}`)).status === 404;
	const rows = Object.values((await client.get<Record<string, { id: number }[]>>(list)).mustBe(200))[0]!;
	return rows.every((row) => row.id !== id);
}

describe('X17: a DELETE that got no answer can be repeated', () => {
	test.each<[kind: 'booking' | 'service' | 'webhook' | 'date override' | 'calendar feed', missing: string]>([
		['booking', 'booking not found'],
		['service', 'service not found'],
		['webhook', 'webhook not found'],
		['date override', 'date override not found'],
		['calendar feed', 'calendar feed not found'],
	])(
		'When the connection is cut under the DELETE of a %s, then the next one is `ok`, and the one after it 404',
		async (kind, missing) => {
			const client = newAccount();
			const place = await slotOn(client);
			const make = async () => (await client.post<Webhook>('/v1/webhooks', { url: 'http://127.0.0.1:9/' })).mustBe(201);
			const ofService = `/v1/services/${place.service.id}`;
			const post = async (path: string, body: object) => (await client.post<{ id: number }>(path, body)).mustBe(201);
			const closed = { date_from: '2027-01-04', date_to: '2027-01-04', max_bookings: 0 };
			const things = {
				booking: { make: () => book(client, place), list: '/v1/bookings' },
				service: { make: async () => place.service, list: '/v1/services' },
				webhook: { make, list: '/v1/webhooks' },
				'date override': {
					make: () => post(`${ofService}/date-overrides`, closed),
					list: `${ofService}/date-overrides`,
				},
				'calendar feed': { make: () => post(`${ofService}/calendar-feeds`, {}), list: `${ofService}/calendar-feeds` },
			};
			const { id } = await things[kind].make();
			const path = `${things[kind].list}/${id}`;
			await until(async () => {
				await deleteAndHangUp(client, path); // the gateway may have seen the end before the request
				return isGone(client, kind, things[kind].list, id);
			});
			expect((await client.delete(path)).mustBe(200)).toBe('ok');
			expectError(await client.delete(path), 404, missing);
			const { events } = (await client.get<{ events: { type: string }[] }>('/v1/events')).mustBe(200);
			expect(events.filter(({ type }) => type === 'booking.deleted').length).toBeLessThanOrEqual(1);
		},
	);

	test('When a DELETE was answered, then the next one is 404, on whichever connection and gateway it comes', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 20 });
		for (let round = 0; round < 10; round++) {
			const { id } = await book(client, place);
			(await client.delete(`/v1/bookings/${id}`)).mustBe(200);
			expectError(await client.delete(`/v1/bookings/${id}`), 404, 'booking not found');
		}
		(await client.delete(`/v1/services/${place.service.id}`)).mustBe(200);
		expectError(await client.delete(`/v1/services/${place.service.id}`), 404, 'service not found');
	});
});
