import { request } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { expectRefusal } from '../support/expectations.ts';
import { Answer } from '../support/http-client.ts';
import { bookingBody, createService, serviceBody, slotOn } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const KIB = 1024;

/** `body` as JSON with so many spaces that it has exactly `bytes` bytes. */
function padded(body: Record<string, unknown>, bytes: number): string {
	const text = JSON.stringify(body);
	return text + ' '.repeat(bytes - Buffer.byteLength(text));
}

describe('Content type (contract §1)', () => {
	test.each([
		'text/plain',
		'application/x-www-form-urlencoded',
		'multipart/form-data; boundary=x',
		'application/xml',
		'application/jsonx',
		'application/merge-patch+json',
		'json',
		'',
	])('When a body is "%s", then it is 415 on every operation that takes one', async (type) => {
		const client = newAccount();
		const { id } = await createService(client);
		for (const [method, path] of [
			['POST', '/v1/services'],
			['PATCH', `/v1/services/${id}`],
			['PATCH', '/v1/time-slots'],
			['POST', '/v1/bookings'],
			['PATCH', '/v1/bookings/1'],
			['PATCH', '/v1/bookings/1/customer'],
		] as const) {
			const raw = JSON.stringify(serviceBody());
			expectRefusal(await client.request(method, path, { raw, headers: { 'content-type': type } }), 415);
		}
	});

	test('When a body has no content type, then it is 415', async () => {
		expectRefusal(await newAccount().post('/v1/services', undefined, { raw: JSON.stringify(serviceBody()) }), 415);
	});

	test.each([
		'application/json',
		'application/json; charset=utf-8',
		'Application/JSON',
		'application/json;charset=UTF-8',
	])('When a body is %s, then it is read', async (type) => {
		const options = { raw: JSON.stringify(serviceBody()), headers: { 'content-type': type } };
		expect((await newAccount().post('/v1/services', undefined, options)).status).toBe(201);
	});
});

describe('Size (contract §1)', () => {
	const headers = { 'content-type': 'application/json' };

	test('When a body has exactly 64 KiB, then it is read, and one byte more is 413', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 2 });
		const body = bookingBody(place);
		const fits = await client.post('/v1/bookings', undefined, { raw: padded(body, 64 * KIB), headers });
		expect(fits.status).toBe(201);
		const over = await client.post('/v1/bookings', undefined, { raw: padded(body, 64 * KIB + 1), headers });
		expectRefusal(over, 413);
	});

	test('When POST /v1/services has exactly 256 KiB, then it is read, and one byte more is 413', async () => {
		const client = newAccount();
		const fits = await client.post('/v1/services', undefined, { raw: padded(serviceBody(), 256 * KIB), headers });
		expect(fits.status).toBe(201);
		const over = await client.post('/v1/services', undefined, { raw: padded(serviceBody(), 256 * KIB + 1), headers });
		expectRefusal(over, 413);
	});

	test('When PATCH /v1/time-slots has exactly 256 KiB, then it is read, and one byte more is 413', async () => {
		const client = newAccount();
		const { slot } = await slotOn(client);
		const body = { time_slots: [{ id: slot.id, max_bookings: 3 }] };
		const fits = await client.patch('/v1/time-slots', undefined, { raw: padded(body, 256 * KIB), headers });
		expect(fits.status).toBe(200);
		const over = await client.patch('/v1/time-slots', undefined, { raw: padded(body, 256 * KIB + 1), headers });
		expectRefusal(over, 413);
	});

	test('When a chunked body does not say how long it is, then the limit holds as well', async () => {
		const client = newAccount();
		const answer = await new Promise<Answer>((resolve, reject) => {
			const chunked = { ...headers, authorization: `Bearer ${client.key}`, 'transfer-encoding': 'chunked' };
			const sent = request(new URL('/v1/bookings', client.url), { method: 'POST', headers: chunked }, (response) => {
				let text = '';
				response.setEncoding('utf8').on('data', (chunk: string) => {
					text += chunk;
				});
				response.on('end', () => resolve(new Answer('POST', response.statusCode ?? 0, response.headers, text)));
			});
			sent.on('error', reject);
			for (let chunk = 0; chunk < 9; chunk++) sent.write(' '.repeat(8 * KIB));
			sent.end();
		});
		expectRefusal(answer, 413);
	});

	test('When a service carries 500 slots, then it fits', async () => {
		const client = newAccount();
		const slot = {
			day_of_week: 1,
			start_time: '2026-01-05 09:00:00',
			end_time: '2026-01-05 10:00:00',
			max_bookings: 10_000,
		};
		const { id } = await createService(client, { time_slots: Array.from({ length: 500 }, () => slot) });
		const slots = (await client.get<unknown[]>(`/v1/services/${id}/time-slots`)).mustBe(200);
		expect(slots).toHaveLength(500);
	});
});
