import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/http-client.ts';
import { exampleBackend } from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({ backend: exampleBackend });
});
afterAll(() => gateway.stop());

const booking = { date: '2026-11-23', time_slot_id: 7 };
const seen = ({ status, error }: Answer) => [status, error];

describe('order of checks', () => {
	const wrong = {
		raw: `{"date":${' '.repeat(70_000)}`,
		headers: { 'content-type': 'text/plain', 'idempotency-key': 'ä' },
	};

	test('When everything is wrong, then the path is told first, then the method, then the key', async () => {
		const anonymous = gateway.client.withKey(undefined);
		expect(seen(await anonymous.post('/v1/Bookings?x=1', undefined, wrong))).toEqual([404, 'not found']);
		expect(seen(await anonymous.request('PUT', '/v1/bookings?x=1', wrong))).toEqual([405, 'method not allowed']);
		expect(seen(await anonymous.post('/v1/bookings?x=1', undefined, wrong))).toEqual([401, 'missing API key']);
	});

	test('When the key is good, then scope, media type, size, JSON and fields are told in this order', async () => {
		const reader = gateway.client.withKey(gateway.addKey({ scopes: ['read'] }));
		expect((await reader.post('/v1/bookings?x=1', undefined, wrong)).status).toBe(403);
		expect((await gateway.client.post('/v1/bookings?x=1', undefined, wrong)).status).toBe(415);
		const typed = { ...wrong, headers: { ...wrong.headers, 'content-type': 'application/json' } };
		expect((await gateway.client.post('/v1/bookings?x=1', undefined, typed)).status).toBe(413);
		const small = { ...typed, raw: '{"date":' };
		expect(seen(await gateway.client.post('/v1/bookings?x=1', undefined, small))).toEqual([400, 'malformed JSON']);
		const fields = await gateway.client.post('/v1/bookings?x=1', undefined, { ...typed, raw: '{"date":1}' });
		expect(fields.error).toBe(
			'x: is not a known query parameter; date: must be a real date, YYYY-MM-DD; ' +
				'time_slot_id: is required and must be an integer from 1 to 9007199254740991; ' +
				'Idempotency-Key: must be 1 to 255 visible ASCII characters',
		);
	});

	test('When a request is refused, then no service is called', async () => {
		gateway.calls.length = 0;
		for (const body of [{}, { ...booking, date: '2026-02-30' }, { ...booking, typo: 1 }]) {
			expect((await gateway.client.post('/v1/bookings', body)).status).toBe(400);
		}
		expect(gateway.calls.filter((call) => call.action !== 'accounts.verifyKey')).toEqual([]);
	});
});

describe('paths and methods', () => {
	test('When a known path gets another method, then 405 names the methods that it has', async () => {
		const allow = async (path: string) => (await gateway.client.request('OPTIONS', path)).headers.allow;
		expect(await allow('/v1/bookings/7')).toBe('GET, HEAD, PATCH, DELETE');
		expect(await allow('/v1/bookings')).toBe('POST, GET, HEAD');
		expect(await allow('/healthz')).toBe('GET, HEAD');
	});

	test.each([
		'/index.html',
		'/v1',
		'/v1/',
		'/v1/bookings/',
		'/v1//bookings',
		'/V1/bookings',
		'/v1/book%69ngs',
		'/v1/bookings/7/x',
		'/v1/%zz',
	])('When the path is %s, then 404', async (path) => {
		expect(seen(await gateway.client.get(path))).toEqual([404, 'not found']);
	});

	test('When HEAD is sent, then it answers as GET does, without a body', async () => {
		const [get, head] = [
			await gateway.client.get('/v1/bookings/7'),
			await gateway.client.request('HEAD', '/v1/bookings/7'),
		];
		const kept = ({ headers }: Answer) => [headers['content-length'], headers['content-type'], headers.etag];
		expect([head.status, head.text, kept(head)]).toEqual([200, '', kept(get)]);
	});

	test.each([
		'0',
		'-1',
		'01',
		'1.0',
		'1e3',
		'0x1',
		' 1',
		'%31',
		'%zz',
		'abc',
		'9007199254740992',
		'99999999999999999',
		'١',
	])('When an id in the path is "%s", then 400 names it', async (id) => {
		const { status, error } = await gateway.client.get(`/v1/bookings/${encodeURI(id).replaceAll('%25', '%')}`);
		expect([status, error]).toEqual([400, 'bookingID: must be an integer from 1 to 9007199254740991']);
	});

	test('When an id is the largest that JSON carries exactly, then it is taken', async () => {
		await gateway.client.get('/v1/bookings/9007199254740991');
		expect(gateway.calls.at(-1)!.params.booking_id).toBe(Number.MAX_SAFE_INTEGER);
	});
});

describe('queries', () => {
	const list = '/v1/bookings?service_id=3&page=1&page_size=20';

	test.each([
		['/v1/bookings?service_id=3&page=1', 'page_size: is required and must be an integer from 1 to 1000'],
		[`${list}&page=2`, 'page: must be given once'],
		[`${list}&order=id`, 'order: is not a known query parameter'],
		[`${list}&sort=date`, 'sort: must be one of id, -id, starts_at, -starts_at, updated_at, -updated_at'],
		['/v1/bookings?page=1&page_size=20', 'service_id: is required and must be an integer from 1 to 9007199254740991'],
		[`${list}&__proto__=1`, '__proto__: is not a known query parameter'],
		[`${list}&status[$ne]=x`, 'status[$ne]: is not a known query parameter'],
		[`${list}&status=done`, 'status: must be one of pending, confirmed, cancelled'],
		[`${list}&status=`, 'status: must be one of pending, confirmed, cancelled'],
		[`${list}&date=2026-02-29`, 'date: must be a real date, YYYY-MM-DD'],
		[`${list}&customer_email=%zz`, 'query: must be percent-encoded UTF-8'],
		['/v1/services?page=1.0', 'page: must be an integer from 1 to 9007199254740991'],
		['/v1/services?page=0x1', 'page: must be an integer from 1 to 9007199254740991'],
		['/v1/services?page=+1', 'page: must be an integer from 1 to 9007199254740991'],
		['/v1/services?page_size=1001', 'page_size: must be an integer from 1 to 1000'],
		['/v1/time-slots?no_pagination=1', 'no_pagination: must be true or false'],
		['/v1/services/3/availability?from=2026-01-02&to=2026-01-01', 'to: must not be before from'],
		['/v1/services/3/availability?from=2026-01-01&to=2026-04-03', 'to: must be at most 91 days after from'],
		[
			'/v1/events?types=booking.created,x',
			'types[1]: must be one of booking.created, booking.confirmed, booking.cancelled, booking.updated, booking.deleted, customer.erased',
		],
		['/v1/events?wait=31', 'wait: must be an integer from 0 to 30'],
	])('When %s is asked for, then 400 says: %s', async (path, text) => {
		expect(seen(await gateway.client.get(path))).toEqual([400, text]);
	});

	test('When filters are given, then they reach the action with their types', async () => {
		await gateway.client.get(
			`${list}&status=pending&date_from=2026-01-01&time_slot_id=7&customer_email=a%2Bb@example.com`,
		);
		expect(gateway.calls.at(-1)!.params).toEqual({
			account_id: 'acc_test',
			service_id: 3,
			filters: { status: 'pending', date_from: '2026-01-01', time_slot_id: 7, customer_email: 'a+b@example.com' },
			sort: 'id',
			offset: 0,
			limit: 20,
			piece: 25,
		});
	});

	test('When an availability spans exactly 92 days, then it is answered', async () => {
		expect((await gateway.client.get('/v1/services/3/availability?from=2026-01-01&to=2026-04-02')).status).toBe(200);
	});
});
