import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { bookingExample, exampleBackend } from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({
		backend: {
			...exampleBackend,
			'booking.create': ({ idempotency }) => ({ data: bookingExample, replayed: idempotency?.key === 'again' }),
		},
	});
});
afterAll(() => gateway.stop());

const booking = { date: '2026-11-23', time_slot_id: 7 };
const post = (key: string | string[], body: object = booking, path = '/v1/bookings') =>
	gateway.client.post(path, body, { headers: { 'idempotency-key': key } });
const sent = () => gateway.calls.at(-1)!.params.idempotency as { key: string; fingerprint: string } | undefined;

test('When a request is repeated, then key and fingerprint are the same, quoted or bare, whatever the order of fields', async () => {
	await post('k1');
	const first = sent();
	expect(first).toEqual({ key: 'k1', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) });
	await post('"k1"', { time_slot_id: 7, date: '2026-11-23' });
	expect(sent()).toEqual(first);
});

test('I3: When path, query or body differ, then the fingerprint does, in fields that are ignored too', async () => {
	await post('k1');
	const first = sent()!.fingerprint;
	for (const [body, path] of [
		[{ ...booking, message: 'x' }, '/v1/bookings'],
		[{ ...booking, id: 1 }, '/v1/bookings'],
		[booking, '/v1/bookings?service_id=3'],
	] as const) {
		await post('k1', body, path);
		expect(sent()!.fingerprint).not.toBe(first);
	}
});

test('When the answer is the first one of the key, then a header says so', async () => {
	const [first, replay] = [await post('new'), await post('again')];
	expect([first.headers['idempotent-replayed'], replay.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
	expect([replay.status, replay.text, replay.headers.location]).toEqual([201, first.text, '/v1/bookings/1']);
});

test('When the key is malformed or sent twice, then 400 names it', async () => {
	for (const key of ['a b', '"', ['a', 'b'], 'x'.repeat(256)]) {
		const { status, error } = await post(key);
		expect([status, error]).toEqual([400, 'Idempotency-Key: must be 1 to 255 visible ASCII characters']);
	}
});

test('When an operation takes no key, then any is ignored', async () => {
	const headers = { 'idempotency-key': 'a b' };
	expect((await gateway.client.patch('/v1/bookings/7', { message: 'x' }, { headers })).status).toBe(200);
	expect(sent()).toBeUndefined();
});
