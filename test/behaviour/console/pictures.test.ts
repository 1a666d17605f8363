import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { NARROW, onChromium, openConsole, PATIENCE, WIDE } from '../../console/console-page.ts';
import { dateOn } from '../../support/calendar.ts';
import type { Client } from '../../support/http-client.ts';
import { book, createService, overrideDates, slotInput, slotsOf } from '../../support/scheduling.ts';
import { newAccount } from '../../support/shared-product.ts';

// PICTURES=docs/pictures keeps the pictures: the README shows them.
const pictures = process.env.PICTURES ?? mkdtempSync(join(tmpdir(), 'slotwise-console-'));
afterAll(() => {
	if (process.env.PICTURES === undefined) rmSync(pictures, { recursive: true });
});

/** Day, from, to, maximum and how many have booked */
const WEEK = [
	[1, '14:00', '15:30', 8, 8],
	[1, '16:30', '18:00', 4, 2],
	[2, '09:00', '10:30', 6, 0],
	[2, '11:00', '12:30', 6, 0],
	[2, '14:00', '15:30', 8, 3],
	[3, '09:00', '10:30', 6, 1],
	[3, '11:00', '12:30', 6, 6],
	[3, '16:30', '18:00', 4, 2],
	[4, '09:00', '10:30', 6, 0],
	[4, '11:00', '12:30', 6, 3],
	[5, '14:00', '15:30', 8, 7],
	[6, '10:00', '13:00', 12, 10],
] as const;
const OPEN = 2; // the one that is open at the side
const CLOSED = 8;
const PEOPLE = [
	{ customer_name: 'Grace Hopper', message: 'First time, brings a friend', status: 'confirmed' },
	{ customer_name: 'Ada Lovelace', status: 'confirmed' },
	{ customer_name: 'Donald Knuth', status: 'pending' },
	{ customer_name: 'Margaret Hamilton', status: 'confirmed' },
	{ customer_name: 'Barbara Liskov', status: 'cancelled', cancel_reason: 'Ill' },
];

/** A week of a school, some of it full, some free, some closed */
async function school(client: Client) {
	const service = await createService(client, {
		name: 'Pottery class',
		timezone: 'Europe/Berlin',
		time_slots: WEEK.map(([day_of_week, from, to, max_bookings]) =>
			slotInput({
				day_of_week,
				start_time: `2026-01-05 ${from}:00`,
				end_time: `2026-01-05 ${to}:00`,
				max_bookings,
			}),
		),
	});
	const slots = await slotsOf(client, service.id);
	const monday = dateOn(1);
	const dates = WEEK.map(([day]) => new Date(Date.parse(monday) + (day - 1) * 86_400_000).toISOString().slice(0, 10));
	for (const [index, [, , , , booked]] of WEEK.entries()) {
		const place = { slot: slots[index]!, date: dates[index]! };
		for (let number = 0; number < booked; number++) await book(client, place, {});
	}
	for (const { status, cancel_reason, ...person } of PEOPLE) {
		const { id } = await book(client, { slot: slots[OPEN]!, date: dates[OPEN]! }, person);
		if (status === 'pending') continue;
		(await client.patch(`/v1/bookings/${id}`, { status, cancel_reason })).mustBe(200);
	}
	const closed = { date_from: dates[CLOSED], date_to: dates[CLOSED], time_slot_id: slots[CLOSED]!.id };
	await overrideDates(client, service.id, closed);
	return { monday, slot: slots[OPEN]!.id, on: dates[OPEN]! };
}

onChromium('The pictures of the console', (browser) => {
	test(
		'When a week has times of every kind, then each is told by its colour, on a desk, in the dark and on a telephone',
		async () => {
			const client = newAccount();
			const { monday, slot, on } = await school(client);
			for (const [name, width, scheme, panel] of [
				['console-light', WIDE, 'light', `&slot=${slot}&on=${on}`],
				['console-dark', WIDE, 'dark', `&slot=${slot}&on=${on}`],
				['console-narrow', NARROW, 'light', ''],
			] as const) {
				const console = await openConsole(browser(), { width, scheme, at: `/calendar?date=${monday}${panel}` });
				await console.page.setViewport({ width, height: width === WIDE ? 790 : 844 });
				await console.signIn(client.key!);
				await console.page.waitForSelector('.occurrence.closed');
				if (panel !== '') await console.reads('Barbara Liskov');
				await console.settles();
				const fills = await console.page.$$eval('.occurrence', (all) =>
					all.map(({ className }) => /\b(free|some|most|full|closed)\b/.exec(String(className))?.[1]),
				);
				expect(new Set(fills)).toEqual(new Set(['full', 'some', 'most', 'free', 'closed']));
				await console.page.screenshot({ path: join(pictures, `${name}.png`) });
				expect(console.complaints).toEqual([]);
				await console.close();
			}
		},
		PATIENCE,
	);
});
