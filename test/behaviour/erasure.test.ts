import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import type { CustomerList, Erasure, PersonExport } from '../../shared/contract/schemas/customer.ts';
import type { CustomerErased } from '../../shared/contract/schemas/event.ts';
import { bound } from '../support/bound.ts';
import { everythingStored } from '../support/everything-stored.ts';
import { expectRefusal } from '../support/expectations.ts';
import { allEventsOf } from '../support/feed.ts';
import { Client } from '../support/http-client.ts';
import { type Form, startProduct } from '../support/product.ts';
import {
	book,
	bookingBody,
	createService,
	getBooking,
	newCustomer,
	type Place,
	slotInput,
	slotOn,
	slotsOf,
} from '../support/scheduling.ts';
import { anonymous, newAccount } from '../support/shared-product.ts';
import { until } from '../support/until.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const ADA = {
	customer_name: 'Ada Erasable',
	customer_email: 'Ada.Erasable@erase.example',
	customer_phone: '+4915735990001',
	message: 'a secret of adas',
	metadata: { note: 'ada-metadata' },
};
/** Of a person, over services and states; nightly 1,000 */
const BOOKINGS = Number(process.env.ERASED_BOOKINGS ?? 300);

const TEXTS = ['Ada Erasable', 'erase.example', '4915735990001', 'a secret of adas', 'ada-metadata', 'adas reason'];

async function erase(client: Client, person: object): Promise<Erasure> {
	return (await client.post<Erasure>('/v1/customers/erase', person)).mustBe(202);
}

async function erasuresIn(client: Client): Promise<CustomerErased[]> {
	return (await allEventsOf(client)).filter((event): event is CustomerErased => event.type === 'customer.erased');
}

const erased = (client: Client, count = 1, patience = {}) =>
	until(async () => (await erasuresIn(client)).length >= count, patience);

const tells = (text: unknown) => TEXTS.filter((one) => JSON.stringify(text).includes(one));

describe('C2: The erasure of a person', () => {
	test('C2: When somebody is erased, then bookings, events, first answers and the directory no longer tell of the person', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 3 });
		const keyed = { headers: { 'Idempotency-Key': 'ada-1' } };
		const made = (await client.post<Booking>('/v1/bookings', bookingBody(place, ADA), keyed)).mustBe(201);
		const other = await book(client, place, newCustomer());
		const path = `/v1/bookings/${made.id}`;
		(await client.patch(path, { message: 'a secret of adas, too' })).mustBe(200);
		(await client.patch(path, { status: 'cancelled', cancel_reason: 'adas reason' })).mustBe(200);
		const before = await getBooking(client, made.id);
		await until(async () => (await allEventsOf(client)).length === 4);
		const feed = await allEventsOf(client);
		expect(await erase(client, { email: 'ADA.erasable@ERASE.example' })).toEqual({ bookings: 1 });
		await erased(client);

		const after = await getBooking(client, made.id);
		expect(after).toMatchObject({
			status: 'cancelled',
			cancel_reason: 'erased',
			message: null,
			metadata: {},
			customer: { id: made.id, name: null, email: null, phone: null },
			version: before.version + 1,
		});
		expect(after.updated_at > before.updated_at).toBe(true);
		expect(after).toMatchObject({ date: before.date, time_slot: before.time_slot, starts_at: before.starts_at });
		expect((await client.get(path, { headers: { 'If-None-Match': `"${before.version}"` } })).status).toBe(200);
		expect(
			(await client.patch(path, { status: 'pending' }, { headers: { 'If-Match': `"${before.version}"` } })).status,
		).toBe(412);
		const replayed = await client.post<Booking>('/v1/bookings', bookingBody(place, ADA), keyed);
		expect(replayed.headers['idempotent-replayed']).toBe('true');
		expect(replayed.mustBe(201)).toMatchObject({ id: made.id, version: 1, message: null, customer: { email: null } });

		const now = await allEventsOf(client);
		expect(now.map(({ id, type, sequence, timestamp }) => [id, type, sequence, timestamp]).slice(0, 4)).toEqual(
			feed.map(({ id, type, sequence, timestamp }) => [id, type, sequence, timestamp]),
		);
		expect(tells(now)).toEqual([]);
		expect(now[4]).toMatchObject({
			type: 'customer.erased',
			sequence: 5,
			data: { booking_ids: [made.id] },
			previous: {},
		});
		expect(now).toHaveLength(5); // no booking.updated
		const ofOther = (events: typeof feed) => events.filter(({ id }) => id.startsWith(`evt_${other.id}_`));
		expect(ofOther(feed)).toHaveLength(1);
		expect(ofOther(now)).toEqual(ofOther(feed));

		const { customers } = (await client.get<CustomerList>('/v1/customers')).mustBe(200);
		expect(customers.map(({ email }) => email)).toEqual([other.customer.email, null]);
		const told = (await client.get<PersonExport>('/v1/customers/export', { query: { email: ADA.customer_email } }))
			.data;
		expect(told).toMatchObject({ bookings: [], first_answers: [], events: [] });
		expect(await getBooking(client, other.id)).toEqual(other);
	});

	test('C2: When a booking was given to somebody else a moment ago, then it is counted, and its events no longer tell of the former', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 20 });
		for (let round = 0; round < 8; round++) {
			const former = `former-${round}@erase.example`;
			const { id } = await book(client, place, { customer_name: 'Ada', customer_email: former });
			const next = { name: 'Grace', email: `next-${round}@example.com`, phone: null };
			(await client.patch(`/v1/bookings/${id}/customer`, next)).mustBe(200);
			expect(await erase(client, { email: former })).toEqual({ bookings: 1 });
		}
		await erased(client, 8);
		expect(JSON.stringify(await allEventsOf(client))).not.toContain('former-');
	});

	test('C2: When a change that was under way tells of the person once more, then that is erased, too', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 20 });
		const names: (string | null)[] = [];
		// On a busy machine a change may come after the second look: then another booking tells.
		for (let round = 0; round < 8 && !names.includes(null); round++) {
			const email = `late-${round}@erase.example`;
			const { id } = await book(client, place, { customer_name: 'Ada', customer_email: email });
			await erase(client, { email });
			await until(async () => (await getBooking(client, id)).customer.email === null, { interval: 1 });
			(await client.patch(`/v1/bookings/${id}/customer`, { name: 'Ada again' })).mustBe(200);
			await erased(client, round + 1);
			names.push((await getBooking(client, id)).customer.name);
		}
		expect(names).toContain(null);
	});

	test('C2: When the erased had a place, then it stays taken, and the person may book the same date again', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 2 });
		const made = await book(client, place, ADA);
		await erase(client, { phone: ADA.customer_phone });
		await erased(client);
		const again = await book(client, place, ADA);
		const full = await client.post('/v1/bookings', bookingBody(place, newCustomer()));
		expectRefusal(full, 400, 'time slot is full');
		expect((await getBooking(client, made.id)).customer.phone).toBeNull();
		expect((await getBooking(client, again.id)).customer.email).toBe(ADA.customer_email); // made after the erasure
	});

	test('C2: When the booking was deleted, or is for somebody else now, then what was told of the person goes, and that alone', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 4 });
		const gone = await book(client, place, ADA);
		(await client.delete(`/v1/bookings/${gone.id}`)).mustBe(200);
		const place2 = { ...place, date: '2026-12-07' };
		const given = await book(client, place2, ADA);
		const bob = { name: 'Bob', email: 'bob@stays.example', phone: null };
		(await client.patch(`/v1/bookings/${given.id}/customer`, bob)).mustBe(200);
		(await client.patch(`/v1/bookings/${given.id}`, { message: 'bobs', metadata: { note: null } })).mustBe(200);
		const before = await getBooking(client, given.id);
		await until(async () => (await allEventsOf(client)).length === 5);
		expect(await erase(client, { email: ADA.customer_email })).toEqual({ bookings: 2 });
		await erased(client);
		expect(await getBooking(client, given.id)).toEqual(before);
		const feed = await allEventsOf(client);
		expect(feed[4]!.data).toMatchObject({ message: 'bobs', customer: bob });
		expect(JSON.stringify(feed)).not.toContain('erase.example');
		expect(JSON.stringify(feed)).not.toContain(ADA.customer_name);
		expect(feed.at(-1)!.data).toEqual({ booking_ids: [gone.id, given.id] });
	});

	test('C2: When a booking went from one person to another and a third, then an erasure takes its own out of each event, also of several at once', async () => {
		const client = newAccount();
		const { id } = await book(client, await slotOn(client, { max_bookings: 4 }), ADA);
		const nobody = { name: null, email: null, phone: null };
		const [bob, cyd] = ['bob', 'cyd'].map((name) => ({ ...nobody, name, email: `${name}@stays.example` }));
		for (const next of [bob, cyd]) (await client.patch(`/v1/bookings/${id}/customer`, next)).mustBe(200);
		await until(async () => (await allEventsOf(client)).length === 3);
		const told = async () => {
			const events = (await allEventsOf(client)).filter((event) => event.type !== 'customer.erased');
			return events.map(({ data, previous }) => [previous.customer?.email, (data as Booking).customer.email]);
		};
		await erase(client, { email: ADA.customer_email });
		await erased(client);
		expect(await told()).toEqual([
			[undefined, null],
			[null, bob!.email],
			[bob!.email, cyd!.email],
		]);
		await Promise.all([bob, cyd].map((one) => erase(client, { email: one!.email })));
		await erased(client, 3);
		expect(await told()).toEqual([
			[undefined, null],
			[null, null],
			[null, null],
		]);
		expect((await getBooking(client, id)).customer.name).toBeNull();
	});

	test('C2: When another account has the same customer, then nothing of it changes', async () => {
		const [client, other] = [newAccount(), newAccount()];
		const bookings = await Promise.all(
			[client, other].map(async (one) => book(one, await slotOn(one, { max_bookings: 2 }), ADA)),
		);
		await until(async () => (await allEventsOf(other)).length === 1);
		const before = await allEventsOf(other);
		await erase(client, { email: ADA.customer_email });
		await erased(client);
		expect(await getBooking(other, bookings[1]!.id)).toEqual(bookings[1]);
		expect(await allEventsOf(other)).toEqual(before);
	});

	test('C2: When nothing is kept of the person, then it is 202 with 0, and there is no event', async () => {
		const client = newAccount();
		await book(client, await slotOn(client), newCustomer());
		expect(await erase(client, { email: 'nobody@erase.example' })).toEqual({ bookings: 0 });
		await until(async () => (await allEventsOf(client)).length === 1);
		expect(await erasuresIn(client)).toEqual([]);
	});

	test('C2: When a person is erased twice at once, then both are 202, and it is done once', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 20 });
		for (let i = 0; i < 20; i++) await book(client, place, { ...ADA, customer_email: `ada${i}@erase.example` });
		const asked = await Promise.all(
			[1, 2, 3].map(() => client.post('/v1/customers/erase', { phone: ADA.customer_phone })),
		);
		expect(asked.map(({ status }) => status)).toEqual([202, 202, 202]);
		await erased(client);
		await until(async () => tells(await allEventsOf(client)).length === 0);
		const ids = (await erasuresIn(client)).flatMap(({ data }) => data.booking_ids);
		expect(new Set(ids).size).toBe(20);
	});

	test.each([
		['neither', {}, 'email'],
		['both', { email: 'a@example.com', phone: '+15550100' }, 'phone'],
		['no address', { email: 'a' }, 'email'],
		['no number', { phone: 'x' }, 'phone'],
		['null', { email: null }, 'email'],
	])('C2: When %s is sent, then it is 400 and named', async (_, body, field) => {
		expectRefusal(await newAccount().post('/v1/customers/erase', body), 400, field);
	});

	test('C2: When no key is sent, then it is 401', async () => {
		expect((await anonymous().post('/v1/customers/erase', { email: 'a@example.com' })).status).toBe(401);
	});

	test('C2: When a webhook’s deliveries fail meanwhile, then what is sent after the erasure does not tell of the person', async () => {
		const receiver = await WebhookReceiver.start();
		try {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 2 });
			(await client.post('/v1/webhooks', { url: receiver.url('/hook'), events: ['*'] })).mustBe(201);
			receiver.reply = () => ({ status: 500 });
			const booking = await book(client, place, ADA);
			await until(() => receiver.received.length === 1);
			await erase(client, { email: ADA.customer_email });
			await erased(client);
			receiver.reply = () => ({ status: 204 });
			await until(
				() => receiver.received.filter(({ headers }) => headers['webhook-id'] === `evt_${booking.id}_1`).length > 1,
			);
			const [, ...later] = receiver.received;
			expect(tells(later.map(({ body }) => body))).toEqual([]);
			const told = await until(
				() =>
					later.find(({ body }) => body.includes('customer.erased')) ??
					receiver.received.find(({ body }) => body.includes('customer.erased')),
			);
			expect(JSON.parse(told.body)).toMatchObject({ type: 'customer.erased', data: { booking_ids: [booking.id] } });
		} finally {
			await receiver.stop();
		}
	});
});

describe('ADR 52: The place of an erased customer', () => {
	test('When somebody who is erased books again, then the feed says that the first booking is nobody’s any more before it tells of the second', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 5 });
		const first = await book(client, place, ADA);
		await until(async () => (await allEventsOf(client)).length === 1);
		await erase(client, { email: ADA.customer_email });
		const again = async () => {
			const answer = await client.post<Booking>('/v1/bookings', bookingBody(place, ADA));
			return answer.status === 201 && answer.data;
		};
		const second = (await until(again)) as Booking;
		await until(async () => (await allEventsOf(client)).length === 3);
		const told = (await allEventsOf(client)).map(({ id, type }) => (type === 'customer.erased' ? type : id));
		expect(told).toEqual([`evt_${first.id}_1`, 'customer.erased', `evt_${second.id}_1`]);
	});
});

describe('C2: What an erasure leaves', () => {
	test(`C2: When ${BOOKINGS.toLocaleString('en')} bookings of a person over services and states are erased, then after 5 s no store and no log has one of the texts`, async () => {
		const form = (process.env.FORM ?? 'embedded') as Form;
		const product = await startProduct({
			form,
			keys: { Unlimited: 2 },
			env: { LOG_LEVEL: 'debug', WEBHOOK_ALLOW_PRIVATE: '1' },
		});
		const receiver = await WebhookReceiver.start();
		try {
			const [client, neighbour] = product.keys.Unlimited.map((key) => new Client(() => product.urls(), key));
			(await client!.post('/v1/webhooks', { url: receiver.url('/hook'), events: ['*'] })).mustBe(201);
			const others = await fill(client!, BOOKINGS);
			const theirs = await book(neighbour!, await slotOn(neighbour!), { customer_email: 'stays@neighbour.example' });
			// Each look reads all of them.
			await until(async () => (await allEventsOf(client!)).length >= 2.2 * BOOKINGS, { interval: 500 });
			const feed = await allEventsOf(client!);
			expect((await everythingStored(product)).includes('a secret of adas')).toBe(true);
			const began = performance.now();
			expect(await erase(client!, { phone: ADA.customer_phone })).toEqual({ bookings: BOOKINGS });
			await erased(client!, 1, { interval: 100 });
			expect(performance.now() - began).toBeLessThan(bound(5_000));
			const left = await until(
				async () => {
					const stored = await everythingStored(product);
					return [...TEXTS, 'ada.erasable'].every((text) => !stored.includes(text)) && stored;
				},
				{ interval: 250 },
			);
			expect(left.includes('stays@neighbour.example')).toBe(true);
			for (const booking of others) expect(await getBooking(client!, booking.id)).toEqual(booking);
			expect((await getBooking(neighbour!, theirs.id)).customer).toEqual(theirs.customer);
			const now = await allEventsOf(client!);
			expect(now.map(({ sequence }) => sequence)).toEqual(now.map((_, index) => index + 1));
			expect(now.slice(0, feed.length).map(({ id }) => id)).toEqual(feed.map(({ id }) => id));
			expect((await erasuresIn(client!)).map(({ data }) => data.booking_ids.length)).toEqual([BOOKINGS]);
			const logs = product.processes.map(({ logFile }) => readFileSync(logFile, 'utf8')).join('\n');
			expect(TEXTS.filter((text) => logs.includes(text))).toEqual([]);
		} finally {
			await receiver.stop();
			await product.stop();
		}
	});
});

/** Bookings of one person, `count` of them: some under keys, changed, moved, cancelled, deleted; and others between them. */
async function fill(client: Client, count: number): Promise<Booking[]> {
	const places: Place[] = [];
	for (let i = 0; i < 4; i++) {
		const service = await createService(client, { time_slots: [slotInput({ max_bookings: 10_000 })] });
		const [slot] = await slotsOf(client, service.id);
		for (const date of ['2026-12-07', '2026-12-14', '2026-12-21']) places.push({ slot: slot!, date });
	}
	const others: Booking[] = [];
	const one = async (i: number) => {
		const place = places[i % places.length]!;
		const body = { ...bookingBody(place, ADA), customer_email: `ada.erasable.${i}@erase.example` };
		const options = i % 3 === 0 ? { headers: { 'Idempotency-Key': `key-${i}` } } : {};
		const { id } = (await client.post<Booking>('/v1/bookings', body, options)).mustBe(201);
		const path = `/v1/bookings/${id}`;
		if (i % 5 === 0) (await client.patch(path, { message: `a secret of adas ${'x'.repeat(900)}` })).mustBe(200);
		if (i % 4 === 0) (await client.patch(path, { status: 'confirmed' })).mustBe(200);
		if (i % 6 === 0) (await client.patch(path, { status: 'cancelled', cancel_reason: 'adas reason' })).mustBe(200);
		if (i % 7 === 0) (await client.patch(`${path}/customer`, { name: 'Ada Erasable the Second' })).mustBe(200);
		if (i % 2 === 0) (await client.patch(path, { metadata: { more: 'ada-metadata' } })).mustBe(200);
		if (i % 10 === 0) (await client.delete(path)).mustBe(200);
		if (i % 50 === 0) others.push(await book(client, place, { ...newCustomer(), message: `of somebody else ${i}` }));
	};
	// Few at once: each has up to eight requests, of which a busy machine is to answer every one.
	for (let at = 0; at < count; at += 8) {
		await Promise.all(Array.from({ length: Math.min(8, count - at) }, (_, index) => one(at + index)));
	}
	return others;
}
