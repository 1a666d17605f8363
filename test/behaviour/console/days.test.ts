import { expect, test } from '@jest/globals';
import type { Service, ServiceList } from '../../../shared/contract/schemas/service.ts';
import { type Console, onChromium, PATIENCE, signIn } from '../../console/console-page.ts';
import { dateOn } from '../../support/calendar.ts';
import {
	book,
	createService,
	getBooking,
	newCustomer,
	overridesOf,
	scheduleOf,
	slotInput,
	slotOn,
} from '../../support/scheduling.ts';
import { newAccount } from '../../support/shared-product.ts';
import { until } from '../../support/until.ts';

onChromium('The days of a service in the console', (browser) => {
	test(
		'When there is no service yet, then one is made with its week, and is in the calendar',
		async () => {
			const client = newAccount();
			const console = await signIn(browser(), client);
			await console.press('Create the first service');
			await console.fill('Name', 'Pottery class');
			await console.fill('Time zone', 'Europe/Berlin');
			await console.fill('From, slot 1', '10:30');
			await console.fill('To, slot 1', '12:00');
			await console.fill('Bookings, slot 1', '6');
			await console.press('Add a slot');
			await console.fill('Day, slot 2', '3');
			await console.press('Create');
			await console.reads('Pottery class was created.');
			await console.sees('Pottery class: Calendar', 'heading');
			const { services } = (await client.get<ServiceList>('/v1/services')).mustBe(200);
			const { time_slots } = await scheduleOf(client, services[0]!.id);
			const kept = time_slots.map(({ day_of_week, start_time, end_time, max_bookings }) => {
				return [day_of_week, start_time.slice(11), end_time.slice(11), max_bookings];
			});
			expect(kept).toEqual([
				[1, '10:30:00', '12:00:00', 6],
				[3, '10:30:00', '12:00:00', 6],
			]);
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When days are closed, then a preview tells who has booked, the second press closes them, and they can be opened again',
		async () => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 3 });
			await book(client, place, newCustomer());
			const { id: service } = place.service;
			const console = await signIn(browser(), client, { at: `/closures?service=${service}` });
			await console.fill('First day', place.date);
			await console.fill('Last day', place.date);
			await console.fill('Reason', 'Holiday');
			await console.press('Preview');
			await console.reads('1 booked, closed');
			expect((await overridesOf(client, service)).date_overrides).toEqual([]);
			await console.press('Close these days');
			await console.reads('Closed.');
			const { date_overrides: made } = await overridesOf(client, service);
			expect(made).toMatchObject([{ date_from: place.date, date_to: place.date, max_bookings: 0, reason: 'Holiday' }]);
			await console.page.locator('button[title^="Open again"]').click();
			await console.reads('No day is closed');
			expect((await overridesOf(client, service)).date_overrides).toEqual([]);
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When the week is edited, then a preview tells what it means, and saving does that and keeps what was not touched',
		async () => {
			const client = newAccount();
			const service = await createService(client, {
				time_slots: [
					slotInput({ max_bookings: 2 }),
					slotInput({ day_of_week: 2, start_time: '2026-01-05 11:00:30', end_time: '2026-01-05 12:00:30' }),
				],
			});
			const before = await scheduleOf(client, service.id);
			const { id } = await book(client, { slot: before.time_slots[0]!, date: dateOn(1) }, newCustomer());
			const console = await signIn(browser(), client, { at: `/schedule?service=${service.id}` });
			await console.press('Remove slot 1');
			await console.press('Add a slot');
			await console.fill('Day, slot 2', '5');
			await console.fill('Notice in minutes', '60');
			await console.press('Preview');
			await console.reads('1 Bookings of slots that would go');
			expect((await scheduleOf(client, service.id)).version).toBe(before.version);
			await console.press('Save the schedule');
			await console.reads('The schedule was saved.');
			const after = await scheduleOf(client, service.id);
			expect(after.rules).toEqual({ min_notice_minutes: 60, max_advance_days: null });
			expect(after.time_slots).toMatchObject([before.time_slots[1]!, { day_of_week: 5 }]);
			expect((await getBooking(client, id)).status).toBe('pending');
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When somebody else saved a schedule meanwhile, then it is told, what was typed stays, and theirs is shown when asked for',
		async () => {
			const client = newAccount();
			const { service } = await slotOn(client);
			const console = await signIn(browser(), client, { at: `/schedule?service=${service.id}` });
			await console.fill('Bookings, slot 1', '7');
			const path = `/v1/services/${service.id}`;
			(await client.patch<Service>(path, { rules: { max_advance_days: 30 } })).mustBe(200);
			await console.press('Preview');
			await console.reads('Somebody changed this schedule meanwhile.');
			await shows(console, 'Bookings, slot 1', '7');
			await console.press('Show the schedule as it is now');
			await shows(console, 'Days in advance', '30');
			expect((await scheduleOf(client, service.id)).rules.max_advance_days).toBe(30);
			await console.close();
		},
		PATIENCE,
	);
});

async function shows({ page }: Console, label: string, value: string): Promise<void> {
	await until(async () => {
		const field = await page.waitForSelector(`::-p-aria([name="${label}"])`);
		expect(await field!.evaluate((input: unknown) => (input as { value: string }).value)).toBe(value);
		return true;
	});
}
