import { describe, expect, test } from '@jest/globals';
import ICAL from 'ical.js';
import { calendarAnswer } from '../../services/gateway/calendar/calendar-answer.ts';
import { MOST_BOOKINGS, readFeed } from '../../services/gateway/calendar/calendar-feed.ts';
import type { CalendarEntry, FoundFeed, Params } from '../../shared/contract/actions.ts';
import { timestamp } from '../../shared/engine/clock.ts';

const HOUR = 60 * 60 * 1000;
const NOW = Date.parse('2026-11-23T12:00:00.000Z');
const FEED: FoundFeed = {
	feed_id: 1,
	account_id: 'acct_1',
	service_id: 7,
	include_customers: true,
	service_name: 'Cut, wash; go\\',
};

function entry(id: number, starts: number, name: string | null = null): CalendarEntry {
	const [starts_at, ends_at, at] = [timestamp(starts), timestamp(starts + HOUR), timestamp(NOW)];
	const customer = { name, email: null, phone: null };
	return { id, status: 'confirmed', starts_at, ends_at, version: 2, created_at: at, updated_at: at, customer };
}

/** Bookings each hour from some before now to some after, as booking answers for them. */
function bookings(before: number, after: number) {
	const all = Array.from({ length: before + after }, (_, at) => entry(at + 1, NOW + (at - before) * HOUR + 1));
	const asked: number[] = [];
	const startOf = ({ starts_at }: CalendarEntry) => Date.parse(starts_at);
	const call = async (action: string, params: unknown) => {
		if (action === 'booking.calendarEntries') {
			const { ids } = params as Params<'booking.calendarEntries'>;
			asked.push(ids.length);
			return all.filter(({ id }) => ids.includes(id));
		}
		const { from, now, to, limit } = params as Params<'booking.calendar'>;
		const coming = all.filter((one) => startOf(one) >= now && startOf(one) <= to);
		const before = all.filter((one) => startOf(one) >= from && startOf(one) < now).reverse();
		return [...coming, ...before].slice(0, limit).map(({ id }) => id);
	};
	return { call, asked };
}

async function shown(before: number, after: number) {
	const { call, asked } = bookings(before, after);
	const { data } = await readFeed(FEED, NOW).run({ call } as never);
	return { entries: data as CalendarEntry[], asked };
}

describe('F1: what a feed shows', () => {
	test('F1: When there are more bookings than a feed shows, then it shows those to come first, then the latest before', async () => {
		const { entries, asked } = await shown(400, MOST_BOOKINGS - 100);
		expect(entries).toHaveLength(MOST_BOOKINGS);
		expect([entries[0]!.id, entries.at(-1)!.id]).toEqual([301, 400 + MOST_BOOKINGS - 100]);
		expect(Math.max(...asked)).toBeLessThanOrEqual(200);

		const busy = await shown(400, MOST_BOOKINGS + 100);
		expect(busy.entries).toHaveLength(MOST_BOOKINGS);
		expect(busy.entries[0]!.id).toBe(401);
	});

	test('F1: When a name has line breaks, then it begins no line of its own', async () => {
		const name = `Eve\r\nEND:VEVENT\nBEGIN:VEVENT\rUID:forged, \\n; ${'😀é漢'.repeat(60)}`;
		const { body } = await calendarAnswer(FEED, [entry(5, NOW, name)], undefined);
		const text = String(body);
		const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
		expect(events).toHaveLength(1);
		expect(events[0]!.getFirstPropertyValue('summary')).toBe(`Cut, wash; go\\: ${name.replaceAll(/\r\n|\r/g, '\n')}`);
		for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
		expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
	});

	test("F1: When a service's name has line breaks and semicolons, then it is the calendar's name, and nothing else", async () => {
		const service_name = 'Cut; wash, go\\\r\nEND:VCALENDAR\nX-FORGED:1\rBEGIN:VEVENT';
		const { body } = await calendarAnswer({ ...FEED, service_name }, [entry(5, NOW)], undefined);
		const calendar = new ICAL.Component(ICAL.parse(String(body)));
		const told = service_name.replaceAll(/\r\n|\r/g, '\n');
		expect(calendar.getAllSubcomponents('vevent')).toHaveLength(1);
		expect(calendar.getFirstPropertyValue('x-forged')).toBeNull();
		expect(calendar.getFirstProperty('name')?.toICALString()).toBe(
			`NAME:${told.replaceAll(/[\\;,]/g, '\\$&').replaceAll('\n', '\\n')}`,
		);
	});

	test('F1: When 5,000 bookings are written, then others have their turns meanwhile', async () => {
		const entries = Array.from({ length: MOST_BOOKINGS }, (_, at) => entry(at + 1, NOW + at * HOUR, 'Ada Lovelace'));
		let turns = 0;
		let isDone = false;
		const count = () => {
			turns++;
			if (!isDone) setImmediate(count);
		};
		setImmediate(count);
		const { body } = await calendarAnswer(FEED, entries, undefined);
		isDone = true;
		expect(turns).toBeGreaterThan(10);
		expect(String(body).match(/^BEGIN:VEVENT/gm)).toHaveLength(MOST_BOOKINGS);
	});
});
