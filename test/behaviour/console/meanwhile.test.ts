import { expect, test } from '@jest/globals';
import { type Console, onChromium, PATIENCE, signIn } from '../../console/console-page.ts';
import { book, replaceSchedule, scheduleOf, slotInput, slotOn } from '../../support/scheduling.ts';
import { newAccount } from '../../support/shared-product.ts';

/** Somebody is elsewhere for a moment: everything is read again. */
async function comeBack(console: Console): Promise<void> {
	const another = await console.page.browserContext().newPage();
	await another.bringToFront();
	await console.page.waitForFunction('document.hidden', { polling: 50 });
	await console.page.bringToFront();
	await another.close();
}

onChromium('What others change while somebody types in the console', (browser) => {
	test(
		'When the schedule is changed by another and read again, then what was typed stays, and that is told before it is saved',
		async () => {
			const client = newAccount();
			const { service } = await slotOn(client, { max_bookings: 5 });
			const console = await signIn(browser(), client, { at: '/schedule' });
			await console.fill('Bookings, slot 1', '77');
			await console.press('Preview');
			await console.reads('No booking to come is affected.');

			const { timezone, time_slots } = await scheduleOf(client, service.id);
			const more = [
				...time_slots,
				slotInput({ day_of_week: 2, start_time: '2026-01-06 09:00:00', end_time: '2026-01-06 10:00:00' }),
			];
			(await replaceSchedule(client, service.id, { timezone, time_slots: more })).mustBe(200);
			await comeBack(console);
			await console.reads('Somebody changed this schedule meanwhile. What you typed is kept');
			const typed = `document.querySelector('.form-table tbody input[type=number]').value`;
			expect(await console.page.evaluate(typed)).toBe('77');
			const save = await console.page.waitForSelector('::-p-aria([name="Save the schedule"][role="button"])');
			expect(await save!.evaluate((button: unknown) => (button as { disabled: boolean }).disabled)).toBe(true); // the preview was of another

			await console.press('Show the schedule as it is now');
			await console.sees('Bookings, slot 2', 'spinbutton');
			expect(await console.page.evaluate(typed)).toBe('5');
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When a slot is retired while a booking of it is typed, then the form stays, and its refusal is told',
		async () => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 5 });
			const at = `/calendar?date=${place.date}&slot=${place.slot.id}&on=${place.date}`;
			const console = await signIn(browser(), client, { at });
			await console.press('Book');
			await console.fill('Name', 'Ada Lovelace');
			await book(client, place);
			(await replaceSchedule(client, place.service.id, { timezone: 'Europe/Berlin', time_slots: [] })).mustBe(200);
			await comeBack(console);
			await console.reads('Nothing takes place then any more');
			const name = `document.querySelector('dialog[open] input')?.value`;
			expect(await console.page.evaluate(name)).toBe('Ada Lovelace');
			await console.page.locator('dialog[open] button[type=submit]').click();
			await console.reads('This time slot is not offered any more.');
			await console.close();
		},
		PATIENCE,
	);
});
