import { beforeAll, describe, expect, test } from '@jest/globals';
import { type AskBytes, askBytes, type Bytes } from '../support/ask-bytes.ts';
import { eventsUpTo } from '../support/feed.ts';
import type { Client } from '../support/http-client.ts';
import { book, bookingBody, createService, newCustomer, type Place, slotInput, slotOn } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const gzip = 'gzip, deflate, br';

describe('P3: answers that are compressed', () => {
	let client: Client;
	let place: Place & { service: { id: number } };
	let bookingId: number;
	beforeAll(async () => {
		client = newAccount();
		place = await slotOn(client, { max_bookings: 100 });
		const make = () => book(client, place, { ...newCustomer(), message: 'ä'.repeat(1_000) });
		bookingId = (await Promise.all(Array.from({ length: 30 }, make)))[0]!.id;
		await eventsUpTo(client, 30);
		const time_slots = Array.from({ length: 50 }, (_, day) => slotInput({ day_of_week: day % 7 }));
		for (let services = 0; services < 3; services++) await createService(client, { time_slots });
	});

	const ask = (path: string, more: AskBytes = {}) => askBytes(client, path, { accept: gzip, ...more });
	const codingOf = ({ headers }: Bytes) => [headers['content-encoding'], headers.vary];

	test('When long answers are asked for, then what comes out is what comes without', async () => {
		const paths = [
			'/v1/services',
			`/v1/services/${place.service.id}/availability?from=2027-01-01&to=2027-04-01`,
			'/v1/time-slots?no_pagination=true',
			`/v1/bookings?service_id=${place.service.id}&page=1&page_size=1000`,
			`/v1/bookings/${bookingId}`,
			'/v1/events?limit=1000',
		];
		for (const path of paths) {
			const [plain, packed] = [await ask(path, { accept: undefined }), await ask(path)];
			expect([path, packed.status, ...codingOf(packed)]).toEqual([path, 200, 'gzip', 'Accept-Encoding']);
			expect([path, ...codingOf(plain)]).toEqual([path, undefined, 'Accept-Encoding']);
			expect(packed.text).toBe(plain.text);
			expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
			const head = await ask(path, { method: 'HEAD' });
			expect([head.bytes.length, ...codingOf(head)]).toEqual([0, ...codingOf(packed)]);
			expect(head.headers['content-length']).toBe(packed.headers['content-length']);
		}
	});

	test('When an answer is short, then it is sent as it is', async () => {
		const short = await book(client, place, newCustomer());
		for (const path of [`/v1/bookings/${short.id}`, `/v1/bookings/${short.id}/customer`, '/v1/usage', '/v1/nothing']) {
			expect([path, ...codingOf(await ask(path))]).toEqual([path, undefined, undefined]);
		}
	});

	test('When a booking was read compressed, then its ETag is its version, for reading and for changing it', async () => {
		const path = `/v1/bookings/${(await book(client, place, { ...newCustomer(), message: 'x'.repeat(1_000) })).id}`;
		const read = await ask(path);
		expect([read.headers['content-encoding'], read.headers.etag]).toEqual(['gzip', '"1"']);
		const known = await ask(path, { headers: { 'if-none-match': '"1"' } });
		expect([known.status, known.bytes.length, ...codingOf(known)]).toEqual([304, 0, undefined, 'Accept-Encoding']);
		const change = (message: string) =>
			ask(path, { method: 'PATCH', body: JSON.stringify({ message }), headers: { 'if-match': '"1"' } });
		const changed = await change('y'.repeat(1_000));
		expect([changed.status, changed.headers.etag, ...codingOf(changed)]).toEqual([
			200,
			'"2"',
			'gzip',
			'Accept-Encoding',
		]);
		expect((await change('z')).status).toBe(412);
		expect((await ask(path, { headers: { 'if-none-match': '"1"' } })).text).toBe(changed.text);
	});

	test('When a creation is repeated, then its first answer comes again, compressed or not', async () => {
		const body = JSON.stringify(bookingBody(place, { ...newCustomer(), message: 'x'.repeat(1_000) }));
		const create = (accept: string | undefined) =>
			ask('/v1/bookings', { method: 'POST', accept, body, headers: { 'idempotency-key': 'once' } });
		const [first, again, plain] = [await create(gzip), await create(gzip), await create(undefined)];
		expect([first.status, first.headers['idempotent-replayed'], ...codingOf(first)]).toEqual([
			201,
			undefined,
			'gzip',
			'Accept-Encoding',
		]);
		expect([again.status, again.headers['idempotent-replayed'], again.text]).toEqual([201, 'true', first.text]);
		expect(again.headers.location).toBe(first.headers.location);
		expect([plain.headers['idempotent-replayed'], plain.text]).toEqual(['true', first.text]);
	});

	test('When many long and short answers are asked for at once, then each one is whole', async () => {
		const list = `/v1/bookings?service_id=${place.service.id}&page=1&page_size=20`;
		const whole = (await ask(list, { accept: undefined })).text;
		const answers = await Promise.all(
			Array.from({ length: 100 }, () => [ask(list), ask(`/v1/bookings/${bookingId}`)]).flat(),
		);
		for (const [at, { status, text }] of answers.entries()) {
			expect(status).toBe(200);
			if (at % 2 === 0) expect(text).toBe(whole);
			else expect(JSON.parse(text)).toMatchObject({ data: { id: bookingId } });
		}
	});
});
