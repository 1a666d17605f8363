import { describe, expect, test } from '@jest/globals';
import { expectError, expectRefusal } from '../support/expectations.ts';
import { book, bookingBody, newCustomer, serviceBody, slotOn, tryToBook } from '../support/scheduling.ts';
import { anonymous, newAccount } from '../support/shared-product.ts';

const LARGE = 'x'.repeat(300_000);
const UNKNOWN = '9007199254740991';
const json = { 'content-type': 'application/json' };

/** Each test breaks two rules at once; the one that is checked first must be told (contract §1, "Order of checks"). */
describe('The order of checks', () => {
	test('When the path is unknown and the key is missing, then it is 404', async () => {
		expectError(await anonymous().post('/v1/nothing', undefined, { raw: LARGE }), 404, 'not found');
	});

	test('When the method is wrong and the key is missing, then it is 405', async () => {
		expectError(await anonymous().request('PUT', '/v1/services', { raw: LARGE }), 405, 'method not allowed');
	});

	test('When the key is missing and the content type is wrong, then it is 401', async () => {
		expectError(await anonymous().post('/v1/services', undefined, { raw: '<x/>' }), 401, 'missing API key');
	});

	test('When the key is missing and the query is wrong, then it is 401', async () => {
		expectError(await anonymous().get('/v1/services/abc?x=1'), 401, 'missing API key');
	});

	test('When the content type is wrong and the body too large, then it is 415', async () => {
		expectRefusal(await newAccount().post('/v1/services', undefined, { raw: LARGE }), 415);
	});

	test('When the body is too large and malformed, then it is 413', async () => {
		expectRefusal(await newAccount().post('/v1/services', undefined, { raw: LARGE, headers: json }), 413);
	});

	test('When the body is malformed and the query invalid, then it is 400 `malformed JSON`', async () => {
		const answer = await newAccount().post('/v1/services?x=1', undefined, { raw: '{', headers: json });
		expectError(answer, 400, 'malformed JSON');
	});

	test('When a field is invalid and the object unknown, then it is 400', async () => {
		const client = newAccount();
		expectRefusal(await client.patch(`/v1/bookings/${UNKNOWN}`, { status: 'done' }), 400, 'status');
		expectRefusal(await client.patch(`/v1/services/${UNKNOWN}`, { name: '' }), 400, 'name');
		expectRefusal(
			await client.post('/v1/bookings', { date: '2026-02-30', time_slot_id: Number(UNKNOWN) }),
			400,
			'date',
		);
		expectRefusal(await client.get(`/v1/bookings?service_id=${UNKNOWN}`), 400, 'page');
	});

	test('When a field is invalid and the Idempotency-Key was used, then it is 400', async () => {
		const client = newAccount();
		const headers = { 'idempotency-key': 'used' };
		(await client.post('/v1/services', serviceBody(), { headers })).mustBe(201);
		expectRefusal(await client.post('/v1/services', serviceBody({ name: '' }), { headers }), 400, 'name');
	});

	test('When a request is a replay and its slot is gone, then it is the replay', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const headers = { 'idempotency-key': 'replayed' };
		const first = await tryToBook(client, place, {}, { headers });
		(await client.delete(`/v1/services/${place.service.id}`)).mustBe(200);
		const again = await tryToBook(client, place, {}, { headers });
		expect([again.status, again.text]).toEqual([201, first.text]);
	});

	test('When the Idempotency-Key was used for another request and the slot is unknown, then it is 422', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const headers = { 'idempotency-key': 'once' };
		(await tryToBook(client, place, {}, { headers })).mustBe(201);
		const other = await tryToBook(client, place, { time_slot_id: Number(UNKNOWN) }, { headers });
		expectRefusal(other, 422);
	});

	test('When the object is unknown and If-Match is stale, then it is 404', async () => {
		const client = newAccount();
		const headers = { 'if-match': '"99"' };
		expectError(await client.patch(`/v1/bookings/${UNKNOWN}`, { message: 'x' }, { headers }), 404, 'booking not found');
		expectError(await client.delete(`/v1/bookings/${UNKNOWN}`, { headers }), 404, 'booking not found');
		expectError(await client.patch(`/v1/services/${UNKNOWN}`, { name: 'x' }, { headers }), 404, 'service not found');
	});

	test('When the version is stale and the change would be refused, then it is 412 or 409', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const customer = newCustomer();
		const booking = await book(client, place);
		const cancel = { status: 'cancelled', cancel_reason: 'x' };
		(await client.patch(`/v1/bookings/${booking.id}`, cancel)).mustBe(200);
		await book(client, place, customer);
		const path = `/v1/bookings/${booking.id}`;
		const stale = { headers: { 'if-match': '"1"' } };
		expectError(await client.patch(path, { status: 'pending' }, stale), 412, 'version conflict');
		expectError(await client.patch(path, { status: 'pending', version: 1 }), 409, 'version conflict');
		expectError(await client.patch(path, { status: 'pending' }), 400, 'time slot is full');
	});

	test('When the slot is unknown and the date could not fall on it, then it is 404', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const answer = await client.post('/v1/bookings', bookingBody(place, { time_slot_id: Number(UNKNOWN) }));
		expectError(answer, 404, 'time slot not found');
	});

	test('When a customer has a booking and the slot is full, then it is `duplicate booking`', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const customer = newCustomer();
		await book(client, place, customer);
		expectError(await tryToBook(client, place, customer), 400, 'duplicate booking');
		expect((await tryToBook(client, place, newCustomer())).error).toBe('time slot is full');
	});
});
