import { describe, expect, test } from '@jest/globals';
import { expectEnvelope, expectError, expectRefusal } from '../support/expectations.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { sendRaw } from '../support/raw-http.ts';
import { book, newCustomer, serviceBody, slotInput, slotOn, tryToBook } from '../support/scheduling.ts';
import { anonymous, newAccount } from '../support/shared-product.ts';
import { until } from '../support/until.ts';

const json = { 'content-type': 'application/json' };

describe('P1: the code of a failure', () => {
	const failures: [string, string, (client: Client) => Promise<Answer>][] = [
		['an unknown path', 'not_found', (client) => client.get('/v1/nothing')],
		['a path beside /v1', 'not_found', (client) => client.get('/favicon.ico')],
		['a wrong method', 'method_not_allowed', (client) => client.request('PUT', '/v1/services')],
		['no key', 'missing_api_key', (client) => client.withKey(undefined).get('/v1/services')],
		['a wrong key', 'invalid_api_key', (client) => client.withKey('nonsense').get('/v1/services')],
		['another type', 'unsupported_media_type', (client) => client.post('/v1/services', undefined, { raw: 'x' })],
		['no JSON', 'malformed_json', (client) => client.post('/v1/services', undefined, { raw: '{', headers: json })],
		['a long body', 'body_too_large', (client) => client.post('/v1/bookings', { message: 'x'.repeat(70_000) })],
		['a missing field', 'invalid_request', (client) => client.post('/v1/services', {})],
		[
			'an unknown zone',
			'unprocessable',
			(client) => client.post('/v1/services', serviceBody({ timezone: 'Mars/Base' })),
		],
		['an unknown booking', 'booking_not_found', (client) => client.get('/v1/bookings/9007199254740991')],
	];

	test.each(failures)('When a request has %s, then it is %s', async (_, code, ask) => {
		const answer = await ask(newAccount());
		expectEnvelope(answer);
		expect(answer.body.code).toBe(code);
	});

	test('When the bytes are no HTTP, then there is a code, too', async () => {
		const { status, body } = await sendRaw(anonymous().url, 'this is no HTTP\r\n\r\n');
		expect([status, JSON.parse(body)]).toEqual([400, { error: 'Bad Request', code: 'invalid_request' }]);
	});

	test('When a refusal is asked for by HEAD, then it has the headers of the GET, and no body', async () => {
		const client = newAccount();
		const [get, head] = await Promise.all([client.get('/v1/bookings/1'), client.request('HEAD', '/v1/bookings/1')]);
		expect([head.status, head.text]).toEqual([404, '']);
		expect(head.headers['content-length']).toBe(get.headers['content-length']);
	});
});

describe('P1: the faults of a request', () => {
	const cases: [string, string, string, (client: Client) => Promise<Answer>][] = [
		['a field is missing', 'name', 'required', (client) => client.post('/v1/services', { timezone: 'UTC' })],
		['a field is unknown', 'nam', 'unknown', (client) => client.post('/v1/services', serviceBody({ nam: 'x' }))],
		['a parameter is unknown', 'pag', 'unknown', (client) => client.get('/v1/services?pag=1')],
		['a parameter comes twice', 'page', 'repeated', (client) => client.get('/v1/services?page=1&page=2')],
		[
			'a type is named twice',
			'events',
			'repeated',
			(client) => subscribe(client, ['booking.created', 'booking.created']),
		],
		['a number is a text', 'page', 'wrong_type', (client) => client.get('/v1/services?page=first')],
		['a text is a number', 'name', 'wrong_type', (client) => client.post('/v1/services', serviceBody({ name: 1 }))],
		['null means nothing', 'name', 'wrong_type', (client) => client.post('/v1/services', serviceBody({ name: null }))],
		['the body is a list', 'body', 'wrong_type', (client) => client.post('/v1/services', [])],
		['a path is no id', 'bookingID', 'wrong_type', (client) => client.get('/v1/bookings/007')],
		['a date is not real', 'date', 'wrong_format', (client) => asked(client, { date: '2026-02-30' })],
		['an address is none', 'customer_email', 'wrong_format', (client) => asked(client, { customer_email: 'ada' })],
		['the query is no UTF-8', 'query', 'wrong_format', (client) => client.get('/v1/services?page=%ff')],
		['a key is empty', 'Idempotency-Key', 'wrong_format', (client) => asked(client, {}, { 'idempotency-key': '' })],
		[
			'a text is too long',
			'name',
			'wrong_length',
			(client) => client.post('/v1/services', serviceBody({ name: 'x'.repeat(73) })),
		],
		['a list is empty', 'time_slots', 'wrong_length', (client) => client.patch('/v1/time-slots', { time_slots: [] })],
		['a number is too small', 'page_size', 'out_of_range', (client) => client.get('/v1/services?page_size=0')],
		['a number is too large', 'page_size', 'out_of_range', (client) => client.get('/v1/services?page_size=1001')],
		[
			'an item is out of range',
			'time_slots[1].day_of_week',
			'out_of_range',
			(client) => withSlot(client, { day_of_week: 7 }),
		],
		[
			'dates are too far apart',
			'to',
			'out_of_range',
			(client) => client.get('/v1/services/1/availability?from=2026-01-01&to=2027-01-01'),
		],
		[
			'a value is none of those',
			'status',
			'not_one_of',
			(client) => client.patch('/v1/bookings/1', { status: 'gone' }),
		],
		['a name is refused', '$where', 'not_allowed', (client) => client.post('/v1/services', { $where: 1 })],
		[
			'a URL is refused',
			'url',
			'not_allowed',
			(client) => client.post('/v1/webhooks', { url: 'http://u@127.0.0.1/', events: ['*'] }),
		],
		[
			'dates are the wrong way round',
			'to',
			'contradiction',
			(client) => client.get('/v1/services/1/availability?from=2026-01-02&to=2026-01-01'),
		],
		[
			'body and query differ',
			'service_id',
			'contradiction',
			(client) => asked(client, { service_id: 2 }, {}, '?service_id=1'),
		],
	];

	test.each(cases)('When %s, then the fault is of %s: %s', async (_, field, code, ask) => {
		const answer = await ask(newAccount());
		expectRefusal(answer, 400, field);
		expect(answer.body).toMatchObject({ code: 'invalid_request', faults: [{ field, code }] });
	});

	test('When several fields are wrong, then each is named once, in the order of the text', async () => {
		const body = { name: '', timezone: 1, typo: true, time_slots: [slotInput(), slotInput({ max_bookings: 0 })] };
		const answer = await newAccount().post('/v1/services?x=1', body);
		expectRefusal(answer, 400);
		expect(answer.body.faults!.map(({ field, code }) => `${field} ${code}`)).toEqual([
			'x unknown',
			'typo unknown',
			'name wrong_length',
			'timezone wrong_type',
			'time_slots[1].max_bookings out_of_range',
		]);
	});

	test('When hundreds of fields are wrong, then 50 are named, and the text says how many more', async () => {
		const body = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`field_${index}`, 1]));
		const answer = await newAccount().post('/v1/services', { ...serviceBody(), ...body });
		expectRefusal(answer, 400, 'and 150 more');
		expect(answer.body.faults).toHaveLength(50);
	});

	test('When values cannot be had, then a creation is 422 and a change 400, with the same faults', async () => {
		const client = newAccount();
		const { service, slot } = await slotOn(client);
		const refused = await client.post('/v1/services', serviceBody({ timezone: 'Mars/Base' }));
		const fault = { field: 'timezone', code: 'unknown_time_zone', message: '"Mars/Base" is not an IANA time zone' };
		expect([refused.status, refused.body.faults]).toEqual([422, [fault]]);
		const changed = await client.patch(`/v1/services/${service.id}`, { timezone: 'Mars/Base' });
		expect([changed.status, changed.body.faults]).toEqual([400, [fault]]);

		const end = { end_time: '2026-01-05 08:00:00' };
		const created = await withSlot(client, end);
		const after = { code: 'contradiction', message: 'must be after start_time' };
		expect([created.status, created.body.faults]).toEqual([422, [{ field: 'time_slots[1].end_time', ...after }]]);
		const updated = await client.patch('/v1/time-slots', { time_slots: [{ id: slot.id, ...end }] });
		expect([updated.status, updated.body.faults]).toEqual([400, [{ field: 'time_slots[0].end_time', ...after }]]);
		const twice = await client.patch('/v1/time-slots', { time_slots: [{ id: slot.id }, { id: slot.id }] });
		expect(twice.body.faults).toMatchObject([{ field: 'time_slots[1].id', code: 'repeated' }]);
		for (const answer of [refused, changed, created, updated, twice]) expectEnvelope(answer);
	});

	test('When a booking cannot be as it is asked for, then the fault says why', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const booking = await book(client, place);
		const change = (body: object) => client.patch(`/v1/bookings/${booking.id}`, body);
		const weekday = await change({ date: '2026-11-24' });
		expect(weekday.body.faults).toMatchObject([{ field: 'date', code: 'wrong_weekday' }]);
		const reason = await change({ cancel_reason: 'Ill' });
		expect(reason.body.faults).toMatchObject([{ field: 'cancel_reason', code: 'contradiction' }]);
		const missing = await change({ status: 'cancelled' });
		expectError(missing, 400, 'cancel_reason is required');
		const fault = { field: 'cancel_reason', code: 'required', message: 'is required' };
		expect(missing.body).toMatchObject({ code: 'cancel_reason_required', faults: [fault] });
		for (const answer of [weekday, reason]) expectEnvelope(answer);
	});
});

describe('P2: codes where a text means several things', () => {
	test('When a slot is closed, then the text is that of a full one, and the code is closed', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 2 });
		const customer = newCustomer();
		const booking = await book(client, place, customer);
		(await client.patch('/v1/time-slots', { time_slots: [{ id: place.slot.id, max_bookings: 0 }] })).mustBe(200);

		const refused = await tryToBook(client, place);
		expectError(refused, 400, 'time slot is full');
		expect(refused.body.code).toBe('closed');
		const twice = await tryToBook(client, place, customer); // a duplicate is told first
		expect([twice.error, twice.body.code]).toEqual(['duplicate booking', 'duplicate_booking']);
		const path = `/v1/bookings/${booking.id}`;
		(await client.patch(path, { status: 'cancelled', cancel_reason: 'Ill' })).mustBe(200);
		const back = await client.patch(path, { status: 'pending' });
		expect([back.status, back.error, back.body.code]).toEqual([400, 'time slot is full', 'closed']);

		(await client.patch('/v1/time-slots', { time_slots: [{ id: place.slot.id, max_bookings: 1 }] })).mustBe(200);
		await book(client, place);
		expect((await tryToBook(client, place)).body.code).toBe('time_slot_full');
	});

	test('When a rate is exceeded, then the code is that of the plan, or that of creating bookings', async () => {
		const client = newAccount('Starter');
		const place = await slotOn(client, { max_bookings: 100 });
		const refused = (code: string, send: () => Promise<Answer>) =>
			until(
				async () => {
					const answers = await Promise.all(Array.from({ length: 8 }, send));
					return answers.find(({ status, body }) => status === 429 && body.code === code);
				},
				{ what: code, interval: 1_000 },
			);
		const creation = await refused('booking_rate_limit_exceeded', () => tryToBook(client, place));
		expectError(creation, 429, 'rate limit exceeded');
		const { body } = await refused('rate_limit_exceeded', () => client.get('/v1/usage'));
		expect(body.error).toMatchObject({ code: 'rate_limit_exceeded' });
	});
});

function subscribe(client: Client, events: string[]): Promise<Answer> {
	return client.post('/v1/webhooks', { url: 'https://example.com/', events });
}

/** A creation of a booking that is well-formed but for the changes. */
function asked(client: Client, changes: object, headers: Record<string, string> = {}, query = ''): Promise<Answer> {
	const body = { date: '2026-11-23', time_slot_id: 1, ...changes };
	return client.post(`/v1/bookings${query}`, body, { headers });
}

/** A creation of a service whose second slot is not as it should be. */
function withSlot(client: Client, changes: object): Promise<Answer> {
	return client.post('/v1/services', serviceBody({ time_slots: [slotInput(), { ...slotInput(), ...changes }] }));
}
