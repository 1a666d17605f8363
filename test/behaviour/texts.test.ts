import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Booking, Customer } from '../../shared/contract/schemas/booking.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import { expectRefusal } from '../support/expectations.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { book, createService, type Place, serviceBody, slotOn } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

/** Every text that the API takes: how it is set, how it is shown, its length in code points. */
interface TextField {
	name: string;
	max: number;
	set(client: Client, text: unknown): Promise<Answer>;
	shown(data: unknown): string | null | undefined;
}

/** What a text must not have: U+0000 to U+001F other than tab, newline and carriage return, and U+007F. */
function isControl(character: string): boolean {
	return (character < ' ' && !'\t\n\r'.includes(character)) || character === '\x7f';
}

interface Furnished {
	place: Place;
	booking: number;
}
const furnished = new WeakMap<Client, Promise<Furnished>>();

/** What the client's texts are of: the same for all of them, for most are refused, and change nothing. */
function furnishedOf(client: Client): Promise<Furnished> {
	const there = furnished.get(client) ?? furnish(client);
	furnished.set(client, there);
	return there;
}

async function furnish(client: Client): Promise<Furnished> {
	const place = await slotOn(client, { max_bookings: 9 });
	return { place, booking: (await book(client, place)).id };
}

const anyBooking = async (client: Client) => (await furnishedOf(client)).booking;

const fields: TextField[] = [
	{
		name: 'name',
		max: 72,
		set: (client, text) => client.post('/v1/services', serviceBody({ name: text })),
		shown: (data) => (data as Service).name,
	},
	{
		name: 'description',
		max: 255,
		set: (client, text) => client.post('/v1/services', serviceBody({ description: text })),
		shown: (data) => (data as Service).description,
	},
	{
		name: 'message',
		max: 1000,
		set: async (client, text) => client.patch(`/v1/bookings/${await anyBooking(client)}`, { message: text }),
		shown: (data) => (data as Booking).message,
	},
	{
		name: 'cancel_reason',
		max: 1000,
		set: async (client, text) => {
			const change = { status: 'cancelled', cancel_reason: text };
			const answer = await client.patch(`/v1/bookings/${await anyBooking(client)}`, change);
			if (answer.status === 200) furnished.delete(client); // it is cancelled now
			return answer;
		},
		shown: (data) => (data as Booking).cancel_reason,
	},
	{
		name: 'customer_name',
		max: 255,
		set: async (client, text) => {
			const { slot, date } = (await furnishedOf(client)).place;
			return client.post('/v1/bookings', { time_slot_id: slot.id, date, customer_name: text });
		},
		shown: (data) => (data as Booking).customer.name,
	},
	{
		name: 'name',
		max: 255,
		set: async (client, text) => client.patch(`/v1/bookings/${await anyBooking(client)}/customer`, { name: text }),
		shown: (data) => (data as Customer).name,
	},
];

async function expectKept(field: TextField, client: Client, text: string): Promise<void> {
	const answer = await field.set(client, text);
	expect({ status: answer.status, body: answer.status > 201 ? answer.text : '' }).toEqual({
		status: answer.status,
		body: '',
	});
	expect(field.shown(answer.data)).toBe(text);
}

describe.each(fields)('The text $name of at most $max characters (contract §1)', (field) => {
	test('When it has as many code points as it may, emoji or not, then it is kept', async () => {
		const client = newAccount();
		await expectKept(field, client, 'x'.repeat(field.max));
		await expectKept(field, client, '😀'.repeat(field.max));
		await expectKept(field, client, 'e\u0301'.repeat(Math.floor(field.max / 2)));
	});

	test('When it has one more, then it is 400 and named', async () => {
		const client = newAccount();
		expectRefusal(await field.set(client, 'x'.repeat(field.max + 1)), 400, field.name);
		expectRefusal(await field.set(client, '😀'.repeat(field.max + 1)), 400, field.name);
	});

	test('When it has blanks around it, then it is kept as sent', async () => {
		await expectKept(field, newAccount(), '  a \t b\r\n c  ');
	});

	test('When it has line separators and other odd characters, then they are kept', async () => {
		await expectKept(field, newAccount(), 'a\u2028b\u2029c\u0085d\ufeffe\u00a0f\u200bg\uffffh\u{10ffff}"\\/<>&');
	});

	test('When it has a control character, then it is 400 and named', async () => {
		const client = newAccount();
		const allowed = new Set([9, 10, 13]);
		const controls = Array.from({ length: 32 }, (_, code) => code).filter((code) => !allowed.has(code));
		for (const code of [...controls, 127]) {
			expectRefusal(await field.set(client, `a${String.fromCharCode(code)}b`), 400, field.name);
		}
	});

	test('When it has a lone surrogate, then it is 400 and named', async () => {
		const client = newAccount();
		for (const text of ['a\ud800', '\udc00a', '\ude00\ud83d', 'x\ud83dx']) {
			expectRefusal(await field.set(client, text), 400, field.name);
		}
	});

	test('When it is no string, then it is 400 and named', async () => {
		const client = newAccount();
		for (const value of [5, true, [], {}, ['x']]) expectRefusal(await field.set(client, value), 400, field.name);
	});
});

describe('Empty texts (contract §1)', () => {
	test('When message or description is empty, then that is kept', async () => {
		const client = newAccount();
		expect((await createService(client, { description: '' })).description).toBe('');
		const place = await slotOn(client);
		expect((await book(client, place, { message: '' })).message).toBe('');
	});

	test('When another text is empty, then it is 400 and named', async () => {
		const client = newAccount();
		const { slot, date, service } = await slotOn(client);
		const create = (extra: object) => client.post('/v1/bookings', { time_slot_id: slot.id, date, ...extra });
		expectRefusal(await client.post('/v1/services', serviceBody({ name: '' })), 400, 'name');
		expectRefusal(await client.patch(`/v1/services/${service.id}`, { timezone: '' }), 400, 'timezone');
		for (const name of ['customer_name', 'customer_email', 'customer_phone']) {
			expectRefusal(await create({ [name]: '' }), 400, name);
		}
		const id = await anyBooking(client);
		for (const name of ['name', 'email', 'phone']) {
			expectRefusal(await client.patch(`/v1/bookings/${id}/customer`, { [name]: '' }), 400, name);
		}
		const change = { status: 'cancelled', cancel_reason: '' };
		expectRefusal(await client.patch(`/v1/bookings/${id}`, change), 400, 'cancel_reason');
	});

	test.each([' ', '\t\n', '\u00a0', '\u200b', '\u2003\u2028'])(
		'When a service name has no visible character, then it is 400',
		async (name) => {
			const client = newAccount();
			const { id } = await createService(client);
			expectRefusal(await client.post('/v1/services', serviceBody({ name })), 400, 'name');
			expectRefusal(await client.patch(`/v1/services/${id}`, { name }), 400, 'name');
		},
	);
});

describe('Any text (contract §1)', () => {
	test('When a message is any text without control characters, then it comes back as sent, at once and later', async () => {
		const client = newAccount();
		const id = await anyBooking(client);
		const text = fc.string({ unit: 'binary', maxLength: 200 }).filter((value) => ![...value].some(isControl));
		await fc.assert(
			fc.asyncProperty(text, async (message) => {
				const changed = (await client.patch<Booking>(`/v1/bookings/${id}`, { message })).mustBe(200);
				const read = (await client.get<Booking>(`/v1/bookings/${id}`)).mustBe(200);
				expect([changed.message, read.message]).toEqual([message, message]);
			}),
			{ numRuns: 100 },
		);
	});
});
