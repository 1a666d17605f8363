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

describe('X17: a DELETE that got no answer can be repeated', () => {
	test.each<['booking' | 'service' | 'webhook', string]>([
		['booking', 'booking not found'],
		['service', 'service not found'],
		['webhook', 'webhook not found'],
	])(
		'When the connection is cut under the DELETE of a %s, then the next one is `ok`, and the one after it 404',
		async (kind, missing) => {
			const client = newAccount();
			const place = await slotOn(client);
			const make = async () => (await client.post<Webhook>('/v1/webhooks', { url: 'http://127.0.0.1:9/' })).mustBe(201);
			const made = { booking: () => book(client, place), service: () => place.service, webhook: make };
			const { id } = await made[kind]();
			const path = `/v1/${kind}s/${id}`;
			await until(async () => {
				await deleteAndHangUp(client, path); // the gateway may have seen the end before the request
				return (await client.get(path)).status === 404;
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
