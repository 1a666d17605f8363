import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import ICAL from 'ical.js';
import type { NewCalendarFeed } from '../../shared/contract/schemas/calendar-feed.ts';
import { dateOn, plusDays } from '../support/calendar.ts';
import { decided } from '../support/decided.ts';
import { expectError } from '../support/expectations.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { sharedOperator } from '../support/operator.ts';
import { book, feedsOf, newFeed, slotInput, slotOn } from '../support/scheduling.ts';
import { anonymous, newAccount } from '../support/shared-product.ts';
import { until } from '../support/until.ts';

const GONE = [404, 'calendar feed not found'] as const;
const HOSTILE = `Mallory; \\n, "Bobby"\\;END:VEVENT\\r\\nBEGIN:VEVENT <é> ${'😀ü'.repeat(80)}`;

const feedsAt = (service: number) => `/v1/services/${service}/calendar-feeds`;

/** What a calendar program reads, without a key. */
async function read({ address }: Pick<NewCalendarFeed, 'address'>) {
	return shown(await anonymous().get(address));
}

function shown(answer: Answer<unknown>) {
	expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/calendar; charset=utf-8']);
	return { answer, events: eventsOf(answer.text) };
}

/** By UID, read by another library than wrote it. */
function eventsOf(text: string): Map<string, ICAL.Component> {
	const calendar = new ICAL.Component(ICAL.parse(text));
	return new Map(
		calendar.getAllSubcomponents('vevent').map((event) => [String(event.getFirstPropertyValue('uid')), event]),
	);
}

const textOf = (event: ICAL.Component, name: string) => event.getFirstPropertyValue(name)?.toString() ?? null;
const only = (events: Map<string, ICAL.Component>) => {
	expect(events.size).toBe(1);
	return [...events.values()][0]!;
};

/** @param days from today */
function mondayBefore(days: number): string {
	const day = new Date(Date.now() + days * 24 * 60 * 60 * 1000);
	return plusDays(day.toISOString().slice(0, 10), -((day.getUTCDay() + 6) % 7));
}

/** A new feed each time: one is read once a minute. */
async function readAnew(client: Client, service: number, include_customers = false) {
	const answer = await decided(async () => {
		const { id, address } = await newFeed(client, service, include_customers);
		const answer = await anonymous().get(address);
		(await client.delete(`${feedsAt(service)}/${id}`)).mustBe(200);
		return answer;
	});
	return shown(answer);
}

describe('F1: calendar feeds', () => {
	test('F1: When a feed is made, then its address is told once, and lists show the feed without it', async () => {
		const client = newAccount();
		const { service } = await slotOn(client);
		const feed = (await client.post<NewCalendarFeed>(feedsAt(service.id), {})).mustBe(201);
		expect(feed).toEqual({
			id: expect.any(Number),
			service_id: service.id,
			include_customers: false,
			created_at: expect.any(String),
			address: expect.stringMatching(/^\/calendar\/[0-9A-Za-z]{43}\.ics$/),
		});
		const { address: _, ...shown } = feed;
		expect(await feedsOf(client, service.id)).toEqual([shown]);
		const page = await client.get<{ calendar_feeds: unknown[] }>(feedsAt(service.id), {
			query: { page: 2, page_size: 1 },
		});
		expect(page.mustBe(200).calendar_feeds).toEqual([]);
	});

	test('F1: When a booking is made, moved and cancelled, then another library reads it with its moments, its version and its state', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 2 });
		const { id } = place.service;
		const booking = await book(client, place);
		const made = only((await readAnew(client, id)).events);
		const uid = textOf(made, 'uid');
		const utc = (moment: string) => new Date(moment).toISOString().replace('.000Z', 'Z');
		expect(textOf(made, 'dtstart')).toBe(utc(booking.starts_at));
		expect(textOf(made, 'dtend')).toBe(utc(booking.ends_at));
		expect([textOf(made, 'sequence'), textOf(made, 'status'), textOf(made, 'summary')]).toEqual([
			String(booking.version),
			booking.status === 'confirmed' ? 'CONFIRMED' : 'TENTATIVE',
			'Piano lesson',
		]);

		const date = plusDays(place.date, 7);
		(await client.patch(`/v1/bookings/${booking.id}`, { date, status: 'confirmed' })).mustBe(200);
		const moved = only((await readAnew(client, id)).events);
		expect([textOf(moved, 'uid'), textOf(moved, 'status')]).toEqual([uid, 'CONFIRMED']);
		expect(Number(textOf(moved, 'sequence'))).toBeGreaterThan(booking.version);
		expect(textOf(moved, 'dtstart')!.slice(0, 10)).toBe(date);

		(await client.patch(`/v1/bookings/${booking.id}`, { status: 'cancelled', cancel_reason: 'Flu' })).mustBe(200);
		const cancelled = only((await readAnew(client, id)).events);
		expect([textOf(cancelled, 'uid'), textOf(cancelled, 'status')]).toEqual([uid, 'CANCELLED']);
		(await client.delete(`/v1/bookings/${booking.id}`)).mustBe(200);
		expect((await readAnew(client, id)).events.size).toBe(0);
	});

	test('F1: When bookings are long past or far ahead, then a feed shows those from 30 days ago to a year ahead', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 9 });
		const dates = [-50, -14, 14, 300, 400].map(mondayBefore);
		for (const date of dates) await book(client, { ...place, date });
		const { events } = await readAnew(client, place.service.id);
		const shown = [...events.values()].map((event) => textOf(event, 'dtstart')!.slice(0, 10));
		expect(shown).toEqual(dates.slice(1, 4));
	});

	test('F1: When a customer has a hostile name, then it is one value of one event, on lines of 75 octets, and only where customers are told', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		await book(client, place, {
			customer_name: HOSTILE,
			customer_email: 'mallory@example.com',
			customer_phone: '+15550177',
		});
		const told = await readAnew(client, place.service.id, true);
		const event = only(told.events);
		expect(textOf(event, 'summary')).toBe(`Piano lesson: ${HOSTILE}`);
		expect(textOf(event, 'description')).toBe('mallory@example.com\n+15550177');
		const lines = told.answer.text.split('\r\n');
		expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
		expect(lines.filter((line) => line === 'BEGIN:VEVENT')).toHaveLength(1);
		expect(told.answer.text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);

		const { answer } = await readAnew(client, place.service.id);
		expect(answer.text).not.toMatch(/Mallory|mallory|15550177/);
	});

	test('F1: When somebody is erased, then a feed that tells of customers does not tell of the person', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const person = { customer_name: 'Ada Feeder', customer_email: 'ada.feeder@erase.example' };
		const booking = await book(client, place, person);
		const before = only((await readAnew(client, place.service.id, true)).events);
		expect(textOf(before, 'summary')).toBe('Piano lesson: Ada Feeder');
		(await client.post('/v1/customers/erase', { email: person.customer_email })).mustBe(202);
		await until(async () => {
			const { customer } = (await client.get<typeof booking>(`/v1/bookings/${booking.id}`)).mustBe(200);
			return customer.email === null;
		});
		const { answer, events } = await readAnew(client, place.service.id, true);
		expect(answer.text.replaceAll('\r\n ', '')).not.toMatch(/Ada|erase\.example/);
		expect(Number(textOf(only(events), 'sequence'))).toBeGreaterThan(booking.version);
	});

	test('F1: When bookings move while a long feed is read, then each of them is in it', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 1_000 });
		const week = (number: number) => plusDays(place.date, 7 * number);
		const made = await Promise.all(
			Array.from({ length: 900 }, (_, index) => book(client, { ...place, date: week(index % 20) })),
		);
		let isOver = false;
		const move = async (from: number) => {
			for (let at = from; !isOver; at = (at + 6) % made.length) {
				const date = week(Math.floor(Math.random() * 20));
				(await client.patch(`/v1/bookings/${made[at]!.id}`, { date })).mustBe(200);
			}
		};
		const moving = Promise.all([0, 1, 2, 3, 4, 5].map(move));
		try {
			for (let round = 0; round < 10; round++) {
				expect((await readAnew(client, place.service.id)).events.size).toBe(made.length);
			}
		} finally {
			isOver = true;
			await moving;
		}
	});

	test('F1: When a client has the calendar already, then it is 304 until a booking changes; and gzip where the client takes it', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 20 });
		for (let at = 0; at < 12; at++) await book(client, place);
		const [first, second, third, fourth] = await Promise.all([1, 2, 3, 4].map(() => newFeed(client, place.service.id)));
		const { answer } = await read(first!);
		expect(answer.headers.etag).toMatch(/^W\/".{22}"$/);
		const conditional = { 'if-none-match': `"other", ${answer.headers.etag}` };
		const same = await anonymous().get(second!.address, { headers: conditional });
		expect([same.status, same.text, same.headers.etag]).toEqual([304, '', answer.headers.etag]);

		await book(client, place);
		const changed = await anonymous().get(third!.address, { headers: conditional });
		expect([changed.status, eventsOf(changed.text).size]).toEqual([200, 13]);
		expect(changed.headers.etag).not.toBe(answer.headers.etag);

		const url = new URL(fourth!.address, anonymous().url);
		const { request } = await import('node:http');
		const gzipped = await new Promise<{ coding: unknown; vary: unknown; body: Buffer }>((resolve, reject) => {
			request(url, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
				const parts: Buffer[] = [];
				response.on('data', (part: Buffer) => parts.push(part));
				response.on('end', () => {
					const { 'content-encoding': coding, vary } = response.headers;
					resolve({ coding, vary, body: Buffer.concat(parts) });
				});
			})
				.on('error', reject)
				.end();
		});
		expect([gzipped.coding, gzipped.vary]).toEqual(['gzip', expect.stringContaining('Accept-Encoding')]);
		expect(gunzipSync(gzipped.body).toString()).toBe(changed.text);
	});

	test('F1: When a feed is read again within a minute, then it is 429 with Retry-After, and another feed is served', async () => {
		const client = newAccount();
		const { service } = await slotOn(client);
		const [one, other] = [await newFeed(client, service.id), await newFeed(client, service.id)];
		await read(one);
		const refused = await anonymous().get(one.address);
		expectError(refused, 429, 'a calendar feed is read once a minute');
		expect(refused.body.code).toBe('calendar_feed_rate_limit_exceeded');
		expect(Number(refused.headers['retry-after'])).toBeGreaterThan(30);
		expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
		await read(other);
	});

	test('F1: When a feed or its service is deleted, or a token is wrong, then the address leads to nothing, at once', async () => {
		const client = newAccount();
		const { service } = await slotOn(client);
		const [one, other] = [await newFeed(client, service.id), await newFeed(client, service.id)];
		const path = `${feedsAt(service.id)}/${one.id}`;
		expect((await client.delete(path)).mustBe(200)).toBe('ok');
		expectError(await anonymous().get(one.address), ...GONE);
		expectError(await client.delete(path), ...GONE);
		expectError(await anonymous().get('/calendar/nonsense.ics'), ...GONE);
		expectError(await anonymous().get(other.address.replace('.ics', '')), ...GONE);
		(await client.delete(`/v1/services/${service.id}`)).mustBe(200);
		expectError(await anonymous().get(other.address), ...GONE);
		expectError(await client.get(feedsAt(service.id)), 404, 'service not found');
	});

	test('F1: When the account is suspended, then its feeds are 403 and tell nothing, until it is resumed', async () => {
		const operator = sharedOperator();
		const { id } = await operator.createAccount();
		const { client } = await operator.createKey(id);
		const place = await slotOn(client);
		await book(client, place, { customer_name: 'Grace Suspended' });
		const feed = await newFeed(client, place.service.id, true);
		await operator.ask('accounts', 'suspend', id);
		await until(async () => (await client.pinned(0).get('/v1/usage')).status === 403);
		const refused = await anonymous().get(feed.address);
		expectError(refused, 403, 'account suspended');
		expect(refused.text).not.toContain('Grace');
		await operator.ask('accounts', 'resume', id);
		expect((await read(feed)).events.size).toBe(1);
	});

	test('F1: When only its headers are asked for, then they are those of the calendar, without it', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		await book(client, place);
		const [one, other] = [await newFeed(client, place.service.id), await newFeed(client, place.service.id)];
		const head = await anonymous().request('HEAD', one.address);
		const { answer } = await read(other);
		expect([head.status, head.text, head.headers.etag]).toEqual([200, '', answer.headers.etag]);
		expect(head.headers['content-type']).toBe(answer.headers['content-type']);
		expect((await anonymous().get(one.address)).status).toBe(429);
		const posted = await anonymous().post(other.address, {});
		expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
	});

	test('F1: When a key only reads, then it sees feeds, and neither makes nor deletes one', async () => {
		const operator = sharedOperator();
		const { id } = await operator.createAccount();
		const { client: writer } = await operator.createKey(id);
		const { client: reader } = await operator.createKey(id, '--scopes', 'read');
		const { service } = await slotOn(writer);
		const feed = await newFeed(writer, service.id);
		expect(await feedsOf(reader, service.id)).toHaveLength(1);
		expect((await reader.post(feedsAt(service.id), {})).status).toBe(403);
		expect((await reader.delete(`${feedsAt(service.id)}/${feed.id}`)).status).toBe(403);
		expect(await feedsOf(writer, service.id)).toHaveLength(1);
	});

	test('F1: When ten feeds are there, then an eleventh is refused, however many are made at once', async () => {
		const client = newAccount();
		const { service } = await slotOn(client);
		const answers = await Promise.all(Array.from({ length: 14 }, () => client.post(feedsAt(service.id), {})));
		const refused = answers.filter(({ status }) => status !== 201);
		expect(refused).toHaveLength(4);
		for (const answer of refused) expectError(answer, 422, 'a service has at most 10 calendar feeds');
		const [first] = await feedsOf(client, service.id);
		(await client.delete(`${feedsAt(service.id)}/${first!.id}`)).mustBe(200);
		await newFeed(client, service.id);
		expect(await feedsOf(client, service.id)).toHaveLength(10);
	});

	test("F1: When a feed is another account's, then it is not found there, and its own address tells of its own bookings only", async () => {
		const [client, stranger] = [newAccount(), newAccount()];
		const [mine, theirs] = [await slotOn(client), await slotOn(stranger)];
		await book(stranger, theirs);
		const feed = await newFeed(client, mine.service.id);
		for (const refused of [
			await stranger.post(feedsAt(mine.service.id), {}),
			await stranger.get(feedsAt(mine.service.id)),
			await stranger.delete(`${feedsAt(mine.service.id)}/${feed.id}`),
		]) {
			expectError(refused, 404, 'service not found');
		}
		expectError(await stranger.delete(`${feedsAt(theirs.service.id)}/${feed.id}`), ...GONE);
		expect((await read(feed)).events.size).toBe(0);
	});

	test('F1: When a service is in two time zones of the year, then its events are the moments that were promised', async () => {
		const client = newAccount();
		const place = await slotOn(client, { ...slotInput({ max_bookings: 3 }), timezone: 'America/New_York' });
		const bookings = [];
		for (const week of [0, 13, 26, 39]) bookings.push(await book(client, { ...place, date: dateOn(1, week) }));
		expect(new Set(bookings.map(({ starts_at }) => starts_at.slice(-6))).size).toBe(2);
		const { events } = await readAnew(client, place.service.id);
		const starts = [...events.values()].map((event) => Date.parse(textOf(event, 'dtstart')!));
		expect(starts).toEqual(bookings.map(({ starts_at }) => Date.parse(starts_at)));
	});
});
