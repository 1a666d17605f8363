import { request as send } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sendRaw } from '../support/raw-http.ts';
import { exampleBackend } from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({ backend: exampleBackend });
});
afterAll(() => gateway.stop());

const json = { 'content-type': 'application/json' };
const booking = { date: '2026-11-23', time_slot_id: 7 };
const service = { name: 'Piano', timezone: 'Europe/Berlin' };
const slot = { day_of_week: 1, start_time: '2026-01-05 09:00:00', end_time: '2026-01-05 10:00:00', max_bookings: 1 };

async function refusal(raw: string | Buffer, path = '/v1/bookings'): Promise<unknown[]> {
	const { status, error } = await gateway.client.post(path, undefined, { raw, headers: json });
	return [status, error];
}

describe('JSON', () => {
	test.each([
		['nothing', ''],
		['half an object', '{"date":'],
		['a comment', '{/**/}'],
		['single quotes', "{'date':'2026-11-23'}"],
		['a trailing comma', '{"time_slot_id":7,}'],
		['NaN', '{"time_slot_id":NaN}'],
		['a byte order mark', '\ufeff{}'],
		['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])],
		['a surrogate as UTF-8', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
	])('When the body is %s, then 400 `malformed JSON`', async (_what, raw) => {
		expect(await refusal(raw)).toEqual([400, 'malformed JSON']);
	});

	test.each(['[]', '"text"', '7', 'null', 'true'])('When the body is %s, then 400 asks for an object', async (raw) => {
		expect(await refusal(raw)).toEqual([400, 'body: must be a JSON object']);
	});

	test.each(['__proto__', 'constructor', 'prototype', '$where', 'customer.name', '$'])(
		'A6: When a field is named %s, at any depth, then 400',
		async (name) => {
			const values = { [name]: { [name]: 1 }, [`customer.${name}`]: { customer: [{ [name]: 1 }] } };
			for (const [field, value] of Object.entries(values)) {
				const raw = JSON.stringify({ ...booking, a: 1 }).replace('"a":1', JSON.stringify(value).slice(1, -1));
				expect(await refusal(raw)).toEqual([400, `${field}: is not an allowed field name`]);
			}
		},
	);

	test('A6: When __proto__ carries a field, then it never reaches an action', async () => {
		gateway.calls.length = 0;
		expect((await refusal('{"date":"2026-11-23","__proto__":{"time_slot_id":7}}'))[0]).toBe(400);
		expect(gateway.calls.map((call) => call.action)).not.toContain('booking.create');
	});

	test('A8: When a body is nested 20 levels deep, then it is read; with 21 it is 400, and so with 30,000', async () => {
		const nested = (levels: number) => `{"customer":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
		expect((await refusal(nested(20)))[1]).toMatch(/^date: is required/);
		expect(await refusal(nested(21))).toEqual([400, 'body: must be at most 20 levels deep']);
		expect(await refusal(nested(30_000))).toEqual([400, 'body: must be at most 20 levels deep']);
	});
});

describe('fields', () => {
	test('When a field of the resource is sent that the operation does not take, then it is ignored, in items too', async () => {
		const read = { ...slot, id: 1, service_id: 2, created_at: 'x', updated_at: 'y' };
		await gateway.client.post('/v1/services', { ...service, id: 9, provider: { a: 1 }, time_slots: [read] });
		expect(gateway.calls.at(-1)!.params).toMatchObject({ body: { ...service, time_slots: [slot] } });
		expect(Object.keys(gateway.calls.at(-1)!.params.body as object)).toEqual(['name', 'timezone', 'time_slots']);
	});

	test('When a field that nothing has is sent, then 400 names it, in items too', async () => {
		const body = { ...service, nmae: 1, time_slots: [{ ...slot, max: 1 }] };
		const answer = await gateway.client.post('/v1/services', body);
		expect(answer.error).toBe('nmae: is not a known field; time_slots[0].max: is not a known field');
	});

	test('When several fields are wrong, then each one is named with what would be right', async () => {
		const items = [slot, null, 7, { ...slot, day_of_week: 7, start_time: '2026-02-30 09:00:00' }];
		const answer = await gateway.client.post('/v1/services', { name: ' \u200b', description: 5, time_slots: items });
		expect(answer.error).toBe(
			[
				'name: must be a text of 1 to 72 characters without control characters, at least one of them visible',
				'description: must be a text of at most 255 characters without control characters, or null',
				'timezone: is required and must be an IANA time zone name such as Europe/Berlin',
				'time_slots[1]: must be an object',
				'time_slots[2]: must be an object',
				'time_slots[3].day_of_week: must be an integer from 0 to 6',
				'time_slots[3].start_time: must be a real date and time, YYYY-MM-DD HH:MM:SS',
			].join('; '),
		);
	});

	test('When null is sent, then an optional field is not set, and any other one is 400', async () => {
		await gateway.client.patch('/v1/services/3', { description: null });
		expect(gateway.calls.at(-1)!.params.body).toEqual({ description: null });
		const { status, error } = await gateway.client.patch('/v1/services/3', { name: null, version: null });
		expect([status, error]).toMatchObject([400, expect.stringMatching(/^name: must be .*; version: must be /)]);
	});

	test('When a list is too long, then 400 says how long it may be', async () => {
		const answer = await gateway.client.post('/v1/services', { ...service, time_slots: new Array(501).fill(slot) });
		expect(answer.error).toBe('time_slots: must be an array of at most 500 items, or null');
		expect((await gateway.client.patch('/v1/time-slots', { time_slots: [] })).error).toBe(
			'time_slots: must be an array of 1 to 500 items',
		);
	});

	test('When thousands of fields are wrong, then the answer stays short', async () => {
		const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`f${index}`, 0]));
		const { status, error } = await gateway.client.post('/v1/bookings', unknown);
		expect([status, error.length < 3000, error.endsWith('; and 4952 more')]).toEqual([400, true, true]);
	});

	test.each(['"7"', '1.5', 'true', '[7]', '{}', '9007199254740992', '0', '-7', '1e400'])(
		'When an id in a body is %s, then 400',
		async (id) => {
			const raw = `{"date":"2026-11-23","time_slot_id":${id}}`;
			expect(await refusal(raw)).toEqual([400, 'time_slot_id: must be an integer from 1 to 9007199254740991']);
		},
	);

	test('When service_id is in query and body, then both must be the same, and either is passed on', async () => {
		const answer = await gateway.client.post('/v1/bookings?service_id=3', { ...booking, service_id: 4 });
		expect([answer.status, answer.error]).toEqual([400, 'service_id: must be the same in the query and in the body']);
		for (const [path, body] of [
			['/v1/bookings?service_id=3', booking],
			['/v1/bookings', { ...booking, service_id: 3 }],
			['/v1/bookings?service_id=3', { ...booking, service_id: 3 }],
		] as const) {
			await gateway.client.post(path, body);
			expect(gateway.calls.at(-1)!.params).toMatchObject({ service_id: 3, body: booking });
		}
	});
});

describe('content', () => {
	test.each([
		['application/json; charset=utf-8', 201],
		['APPLICATION/JSON;x=y', 201],
		['application/jsonx', 415],
		['application/merge-patch+json', 415],
		['text/plain', 415],
		['', 415],
	])('When Content-Type is "%s", then %i', async (type, status) => {
		const answer = await gateway.client.post('/v1/bookings', booking, { headers: { 'content-type': type } });
		expect(answer.status).toBe(status);
	});

	test('When a body has no Content-Type, or is compressed, then 415', async () => {
		const raw = JSON.stringify(booking);
		expect((await gateway.client.post('/v1/bookings', undefined, { raw })).status).toBe(415);
		const headers = { 'content-encoding': 'gzip' };
		expect((await gateway.client.post('/v1/bookings', booking, { headers })).status).toBe(415);
	});

	test('When no header tells of a body, then 400 comes at once', async () => {
		const head = `POST /v1/bookings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.client.key}\r\n`;
		const { status, body } = await sendRaw(gateway.url, `${head}Connection: close\r\n\r\n`);
		expect([status, body]).toEqual([400, '{"error":"malformed JSON","code":"malformed_json"}']);
	});

	test('When an operation takes no body, then it ignores body and Content-Type', async () => {
		const options = { raw: '{{{', headers: { 'content-type': 'text/plain' } };
		expect((await gateway.client.get('/v1/bookings/7', options)).status).toBe(200);
		expect((await gateway.client.delete('/v1/bookings/7', options)).status).toBe(200);
	});

	test.each([
		['/v1/bookings', 64],
		['/v1/services', 256],
	])('When a body for %s has more than %i KiB, then 413; with so many it is read', async (path, kib) => {
		const sized = (bytes: number) => '{}'.padEnd(bytes);
		expect((await refusal(sized(kib * 1024), path))[0]).toBe(400);
		expect(await refusal(sized(kib * 1024 + 1), path)).toEqual([413, 'request body is too large']);
	});

	test('When a length over the limit is declared, then 413 comes before a byte of it', async () => {
		expect(await beginUpload({ 'content-length': '99999999' }, '')).toBe(413);
	});

	test('When a body without a declared length passes the limit, then 413 comes while it is being sent', async () => {
		expect(await beginUpload({ 'transfer-encoding': 'chunked' }, ' '.repeat(65 * 1024))).toBe(413);
	});

	test('X6: When a body comes in thousands of chunks of a byte, then 413, and the connection is closed', async () => {
		const head = `POST /v1/bookings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.client.key}\r\n`;
		const chunked = `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n`;
		const endless = await sendRaw(gateway.url, `${chunked}\r\n${'1\r\n \r\n'.repeat(2_000)}`);
		expect([endless.status, endless.body]).toEqual([
			413,
			'{"error":"request body comes in too many small chunks","code":"body_too_large"}',
		]);
		const short = `${'1\r\n \r\n'.repeat(900)}3\r\n{{{\r\n0\r\n\r\n`;
		const read = await sendRaw(gateway.url, `${chunked}Connection: close\r\n\r\n${short}`);
		expect([read.status, read.body]).toEqual([400, '{"error":"malformed JSON","code":"malformed_json"}']);
	});
});

/** Begins a body that never ends. @returns the status that comes nevertheless */
function beginUpload(headers: Record<string, string>, begin: string): Promise<number> {
	const authorization = `Bearer ${gateway.client.key}`;
	return new Promise((resolve, reject) => {
		const options = { method: 'POST', headers: { ...json, authorization, ...headers } };
		const request = send(`${gateway.url}/v1/bookings`, options, (response) => {
			resolve(response.statusCode!);
			request.destroy();
		});
		request.on('error', reject);
		if (begin === '') request.flushHeaders();
		else request.write(begin);
	});
}
