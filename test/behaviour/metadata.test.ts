import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { BookingEvent } from '../../shared/contract/schemas/event.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import { expectRefusal } from '../support/expectations.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { bookingBody, serviceBody, slotOn } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';
import { until } from '../support/until.ts';

type Kept = Service | Booking;
type Metadata = Record<string, unknown>;

interface Carrier {
	name: string;
	create(client: Client, metadata?: unknown): Promise<Answer<Kept>>;
	path: string;
}

const carriers: Carrier[] = [
	{
		name: 'service',
		create: (client, metadata) => client.post<Kept>('/v1/services', serviceBody({ metadata })),
		path: '/v1/services',
	},
	{
		name: 'booking',
		create: async (client, metadata) =>
			client.post<Kept>('/v1/bookings', bookingBody(await slotOn(client), { metadata })),
		path: '/v1/bookings',
	},
];

const manyKeys = (count: number, text: string) =>
	Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, text]));

describe.each(carriers)('B5: The metadata of a $name', ({ create, path }) => {
	const made = async (client: Client, metadata?: Metadata) => (await create(client, metadata)).mustBe(201);
	const patch = (client: Client, { id }: Kept, metadata: unknown) => client.patch<Kept>(`${path}/${id}`, { metadata });

	test('B5: When none is given, then it is empty', async () => {
		expect((await made(newAccount())).metadata).toEqual({});
	});

	test('B5: When it is given, then it is kept as sent, and read like that', async () => {
		const client = newAccount();
		const metadata = { order: 'A-1042', 'any key': '', toString: '😀 "x"\n', '0': 'a.b', 'k[0]': '$' };
		const kept = await made(client, metadata);
		expect(kept.metadata).toEqual(metadata);
		const read = (await client.get<Kept>(`${path}/${kept.id}`)).mustBe(200);
		expect(read.metadata).toEqual(metadata);
	});

	test('B5: When a PATCH has it, then keys are set, removed and left, and what changes nothing is no version', async () => {
		const client = newAccount();
		const kept = await made(client, { left: '1', changed: '2', removed: '3' });
		const changed = (await patch(client, kept, { changed: 'two', removed: null, added: '4' })).mustBe(200);
		expect(changed).toMatchObject({ version: 2, metadata: { left: '1', changed: 'two', added: '4' } });
		expect(changed.metadata).not.toHaveProperty('removed');
		for (const nothing of [{}, { removed: null }, { left: '1', added: '4' }]) {
			expect((await patch(client, kept, nothing)).mustBe(200)).toEqual(changed);
		}
		const { metadata } = (await patch(client, kept, { left: null, changed: null, added: null })).mustBe(200);
		expect(metadata).toEqual({});
		expect((await client.get<Kept>(`${path}/${kept.id}`)).mustBe(200)).toMatchObject({ version: 3, metadata: {} });
	});

	test('B5: When what was read is sent back, then nothing changes', async () => {
		const client = newAccount();
		const kept = await made(client, { order: 'A-1042' });
		expect((await client.patch<Kept>(`${path}/${kept.id}`, kept)).mustBe(200)).toEqual(kept);
	});

	test('B5: When many PATCHes come at once, each with a key of its own, then none is lost', async () => {
		const client = newAccount();
		const kept = await made(client);
		const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
		await Promise.all(keys.map(async (key) => (await patch(client, kept, { [key]: key })).mustBe(200)));
		const { metadata, version } = (await client.get<Kept>(`${path}/${kept.id}`)).mustBe(200);
		expect([metadata, version]).toEqual([Object.fromEntries(keys.map((key) => [key, key])), 21]);
	});

	test('B5: When a key or a text is beyond its limits, then it is 400 and the key is named, and nothing changes', async () => {
		const client = newAccount();
		const kept = await made(client, { order: 'A-1042' });
		const wrong: [string, unknown, string][] = [
			['k'.repeat(41), 'x', `metadata.${'k'.repeat(41)}`],
			['', 'x', 'metadata.'],
			['bell\u0007', 'x', 'metadata.bell\u0007'],
			['order', 'x'.repeat(501), 'metadata.order'],
			['order', '\u0000', 'metadata.order'],
			['order', 5, 'metadata.order'],
			['order', { deep: 'x' }, 'metadata.order'],
			['__proto__', 'x', 'metadata.__proto__'],
			['$set', 'x', 'metadata.$set'],
			['a.b', 'x', 'metadata.a.b'],
		];
		for (const [key, text, field] of wrong) {
			const metadata = JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(text)}}`);
			expectRefusal(await create(client, metadata), 400, field);
			expectRefusal(await patch(client, kept, metadata), 400, field);
		}
		expectRefusal(await create(client, { order: null }), 400, 'metadata.order');
		for (const metadata of [null, 'x', 5, [], ['x']]) {
			expectRefusal(await create(client, metadata), 400, 'metadata');
			expectRefusal(await patch(client, kept, metadata), 400, 'metadata');
		}
		expect((await client.get<Kept>(`${path}/${kept.id}`)).mustBe(200)).toEqual(kept);
	});

	test('B5: When there are 50 keys, or 4 KiB, then they are kept; one more is 400, also by a PATCH', async () => {
		const client = newAccount();
		const full = await made(client, manyKeys(50, 'x'));
		expectRefusal(await create(client, manyKeys(51, 'x')), 400, 'metadata');
		expectRefusal(await patch(client, full, { another: 'x' }), 400, 'metadata');
		(await patch(client, full, { 'key 0': null, another: 'x' })).mustBe(200);

		const big = { ...manyKeys(8, 'x'.repeat(500)), rest: 'é'.repeat(22) }; // 8 × 505, and 4 + 44 bytes
		expect(Buffer.byteLength(Object.entries(big).flat().join(''))).toBe(4_088);
		const heavy = await made(client, big);
		expect((await patch(client, heavy, { rest: 'é'.repeat(26) })).mustBe(200)).toMatchObject({ version: 2 }); // 4,096
		expectRefusal(await patch(client, heavy, { rest: 'é'.repeat(27) }), 400, 'metadata');
		expectRefusal(await create(client, { ...big, rest: 'é'.repeat(27) }), 400, 'metadata');
		expect((await client.get<Kept>(`${path}/${heavy.id}`)).mustBe(200)).toMatchObject({ version: 2 });
	});
});

test('B5: When a booking with metadata changes, then its events show it as it was then', async () => {
	const client = newAccount();
	const place = await slotOn(client);
	const body = bookingBody(place, { metadata: { order: '1' } });
	const { id } = (await client.post<Booking>('/v1/bookings', body)).mustBe(201);
	(await client.patch(`/v1/bookings/${id}`, { metadata: { order: '2' } })).mustBe(200);
	await until(async () => {
		const { events } = (await client.get<{ events: BookingEvent[] }>('/v1/events')).mustBe(200);
		expect(events.map(({ data }) => data.metadata)).toEqual([{ order: '1' }, { order: '2' }]);
		return true;
	});
});
