import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Errors } from 'moleculer';
import { ApiError, type ErrorType, type Fault } from '../../shared/contract/errors.ts';
import { bound } from '../support/bound.ts';
import { sendRaw } from '../support/raw-http.ts';
import { until } from '../support/until.ts';
import { eventExample } from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

const never = () => new Promise<never>(() => {});
let failure: Error;

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({
		backend: {
			'booking.get': () => {
				throw failure;
			},
			'booking.getCustomer': never,
			'notifications.listEvents': ({ after }) => ({
				events: [{ ...eventExample, sequence: after + 1 }],
				has_more: false,
				next_after: after + 1,
			}),
		},
	});
});
afterAll(() => gateway.stop());

describe('A10: what the services answer', () => {
	test('When no such service is there, then 503 with Retry-After', async () => {
		const answer = await gateway.client.get('/v1/services/3');
		expect([answer.status, answer.error, answer.headers['retry-after']]).toEqual([503, 'service unavailable', '1']);
	});

	test.each([
		['service_unavailable', 503, '1'],
		['request_in_progress', 409, '1'],
		['version_conflict', 409, undefined],
		['booking_not_found', 404, undefined],
		['booking_rate_limit_exceeded', 429, undefined],
		['internal_error', 500, undefined],
	] as const)('When an action says %s, then %i, Retry-After: %s', async (type: ErrorType, status, retryAfter) => {
		failure = new ApiError(type);
		const answer = await gateway.client.get('/v1/bookings/7');
		expect([answer.status, answer.error, answer.headers['retry-after']]).toEqual([status, failure.message, retryAfter]);
	});

	test('When an action knows how long to wait, then Retry-After says it', async () => {
		failure = new ApiError('booking_rate_limit_exceeded', undefined, 86_400);
		const answer = await gateway.client.get('/v1/bookings/7');
		expect([answer.status, answer.text]).toEqual([
			429,
			'{"error":"rate limit exceeded","code":"booking_rate_limit_exceeded"}',
		]);
		expect(answer.headers['retry-after']).toBe('86400');
	});

	test('R4: When a limit of the plan is reached, then `error` is an object and says what Retry-After says', async () => {
		failure = new ApiError('rate_limit_exceeded', 'the requests of this month are used up', 3);
		const answer = await gateway.client.get('/v1/bookings/7');
		const error = { code: 'rate_limit_exceeded', message: failure.message, retry_after: 3 };
		expect([answer.status, answer.body]).toEqual([429, { error, code: 'rate_limit_exceeded' }]);
		expect(answer.headers['retry-after']).toBe('3');
	});

	test('P1: When an action names the fields that are wrong, then they cross the bus one by one', async () => {
		const faults: Fault[] = [
			{ field: 'timezone', code: 'unknown_time_zone', message: '"Mars/Base" is not an IANA time zone' },
			{ field: 'time_slots[3].end_time', code: 'contradiction', message: 'must be after start_time' },
		];
		failure = ApiError.naming('unprocessable', faults);
		const { status, body } = await gateway.client.get('/v1/bookings/7');
		expect([status, body]).toEqual([422, { error: failure.message, code: 'unprocessable', faults }]);
	});

	test('When an action names what was wrong, then the client reads it', async () => {
		failure = new ApiError('invalid_request', 'date: 2026-03-14 is a Saturday, time slot 7 is on Mondays');
		expect((await gateway.client.get('/v1/bookings/7')).error).toBe(failure.message);
	});

	test.each([
		new Error('connect ECONNREFUSED 10.0.0.5:27017'),
		new Errors.MoleculerError('E11000', 404, 'DUPLICATE', { index: 'customer_key' }),
		new Errors.ValidationError('parameters', 'X', { actual: 'ada@example.com' }),
	])('When an action throws %s, then 500 says nothing of it', async (error) => {
		failure = error;
		const answer = await gateway.client.get('/v1/bookings/7');
		expect([answer.status, answer.text]).toEqual([500, '{"error":"internal error","code":"internal_error"}']);
	});
});

test('When accounts cannot tell whose key it is, then 503, not 401', async () => {
	const broken = await startGateway({
		backend: {
			'accounts.verifyKey': () => {
				throw new ApiError('service_unavailable');
			},
		},
	});
	const answer = await broken.client.get('/v1/bookings/7');
	expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
	await broken.stop();
});

test('A10: When time passes, then every request ends within 10 s: 504 for a slow service, 408 for a slow client', async () => {
	const timed = async <T>(answer: Promise<T>) => {
		const start = performance.now();
		return { answer: await answer, ms: performance.now() - start };
	};
	const key = gateway.addKey({ package: { name: 'Starter', rate: 5, burst: 10 } });
	const head = `POST /v1/bookings HTTP/1.1\r\nHost: x\r\nX-Request-Id: own\r\nContent-Type: application/json\r\nAuthorization: Bearer ${key}\r\n`;
	const [slowService, slowHeaders, slowBody, refused] = await Promise.all([
		timed(gateway.client.get('/v1/bookings/7/customer')),
		timed(sendRaw(gateway.url, 'GET / HTTP/1.1\r\nHos')),
		timed(sendRaw(gateway.url, `${head}Content-Length: 20\r\n\r\n{`)),
		timed(sendRaw(gateway.url, `${head}Content-Length: 99999999\r\n\r\n{`)),
	]);
	expect([slowService.answer.status, slowService.answer.error]).toEqual([504, 'gateway timeout']);
	for (const { answer } of [slowHeaders, slowBody]) {
		expect([answer.status, answer.body]).toEqual([408, '{"error":"request timeout","code":"request_timeout"}']);
	}
	expect(slowBody.answer.head).toMatch(/\r\nX-Request-Id: own\r\n/);
	expect(slowBody.answer.head).toMatch(/\r\nX-RateLimit-Remaining: \d\r\n/);
	expect([refused.answer.status, refused.answer.body]).toEqual([
		413,
		'{"error":"request body is too large","code":"body_too_large"}',
	]);
	for (const { ms } of [slowService, slowHeaders, slowBody, refused]) expect(ms).toBeLessThan(bound(10_500, 30_000));
});

test('When a call is made, then it carries what is left of the deadline', async () => {
	await gateway.client.get('/v1/events?after=5');
	const { timeout } = gateway.calls.at(-1)!;
	expect(timeout).toBeGreaterThan(4_000);
	expect(timeout).toBeLessThanOrEqual(9_000);
	await gateway.client.get('/v1/events?wait=30');
	const longPoll = gateway.calls.at(-1)!;
	expect(longPoll.params.wait).toBe(5); // of 30: neither a stop nor a lost process holds it for longer
	expect(longPoll.timeout).toBeGreaterThan(34_000);
	expect(longPoll.timeout).toBeLessThanOrEqual(39_000);
});

test('When a client leaves before its body is there, then nothing is called and the log says so', async () => {
	gateway.calls.length = 0;
	gateway.lines.length = 0;
	const head = `POST /v1/bookings HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${gateway.addKey()}\r\n`;
	const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
	socket.write(`${head}Content-Length: 20\r\n\r\n{`);
	await until(() => gateway.calls.length === 1, { what: 'the key to be looked up' });
	socket.destroy();
	const line = await until(() => gateway.lines.find((entry) => entry.msg === 'request'), { what: 'the log line' });
	expect(line).toMatchObject({ operation: 'createBooking', status: 499 });
	expect(gateway.lines.map((entry) => entry.msg)).toEqual(['request']);
	expect(gateway.calls.map((call) => call.action)).toEqual(['accounts.verifyKey']);
});
