import { expect, test } from '@jest/globals';
import type { EventList } from '../../../shared/contract/schemas/event.ts';
import { type Console, onChromium, openConsole, PATIENCE, signIn } from '../../console/console-page.ts';
import { book, createService, newCustomer, slotOn } from '../../support/scheduling.ts';
import { newAccount } from '../../support/shared-product.ts';

/**
 * An answer of the feed ends further on than the feed does: as it is after an older backup was restored.
 * @param isMeant which request it is the answer to, by its query; the first one
 */
async function feedGoesBack({ page }: Console, isMeant: (query: URLSearchParams) => boolean): Promise<void> {
	await page.setRequestInterception(true);
	let isBack = false;
	page.on('request', async (request) => {
		const { pathname, searchParams } = new URL(request.url());
		if (isBack || pathname !== '/v1/events' || !isMeant(searchParams)) return void request.continue();
		isBack = true;
		const { data } = (await (await fetch(request.url(), { headers: request.headers() })).json()) as { data: EventList };
		const body = JSON.stringify({ data: { ...data, next_after: data.next_after + 1_000 } });
		await request.respond({ status: 200, contentType: 'application/json', body });
	});
}

onChromium('Overviews in the console', (browser) => {
	test(
		'When something happens while the activity is open, then it comes by itself; paused it does not, and nothing is missed',
		async () => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 9 });
			await book(client, place, { customer_name: 'Ada Lovelace' });
			const console = await signIn(browser(), client, { at: '/activity' });
			await console.reads('Ada Lovelace');
			const { id } = await book(client, place, { customer_name: 'Grace Hopper' });
			await console.reads('Grace Hopper');
			await console.press('Pause');
			await book(client, place, { customer_name: 'Alan Turing' });
			(await client.patch(`/v1/bookings/${id}`, { status: 'cancelled', cancel_reason: 'Ill' })).mustBe(200);
			expect(await console.page.$$eval('.feed > li', (rows) => rows.length)).toBe(2);
			await console.press('Go on');
			await console.reads('Alan Turing');
			await console.reads('Cancelled');
			const shown = await console.page.$$eval('.feed a', (links) => links.map(({ textContent }) => textContent));
			expect(shown).toEqual(['Grace Hopper', 'Alan Turing', 'Grace Hopper', 'Ada Lovelace']);
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When others book or make a service while the calendar is open, then bookings come by themselves and leave the focus where it is, the rest when somebody comes back',
		async () => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 9 });
			const console = await signIn(browser(), client, { at: `/calendar?date=${place.date}` });
			await console.reads('0 of 9');
			await console.page.focus('.occurrence');
			for (const booked of [1, 2]) {
				await book(client, place);
				await console.reads(`${booked} of 9`);
			}
			const focused = `document.activeElement.innerText`;
			expect(await console.page.evaluate(focused)).toMatch(/09:00\s+2 of 9/);
			await createService(client, { name: 'Made by another' });
			const another = await console.page.browserContext().newPage();
			await another.bringToFront();
			await console.page.waitForFunction('document.hidden', { polling: 50 });
			await console.page.bringToFront();
			await console.reads('Made by another');
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'W7: When the feed has gone back behind what the activity shows, then it begins anew, with each event once',
		async () => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 9 });
			await book(client, place, { customer_name: 'Ada Lovelace' });
			const console = await openConsole(browser(), { at: '/activity' });
			await feedGoesBack(console, (query) => query.get('wait') === '0');
			await console.signIn(client.key!);
			await console.reads('Ada Lovelace');
			await book(client, place, { customer_name: 'Grace Hopper' });
			await console.reads('Grace Hopper');
			const shown = await console.page.$$eval('.feed a', (links) => links.map(({ textContent }) => textContent));
			expect(shown).toEqual(['Grace Hopper', 'Ada Lovelace']);
			expect(await console.page.$$('.live:not(.off)')).toHaveLength(1);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'W7: When the feed has gone back behind what the calendar knows, then it reads anew, and what others book comes by itself',
		async () => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 9 });
			const console = await openConsole(browser(), { at: `/calendar?date=${place.date}` });
			await feedGoesBack(console, (query) => query.get('booking_id') !== null);
			await console.signIn(client.key!);
			await console.reads('0 of 9');
			for (const booked of [1, 2]) {
				await book(client, place);
				await console.reads(`${booked} of 9`);
			}
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When the usage is looked at, then it is the API’s, as a plot that says what it shows',
		async () => {
			const client = newAccount('Starter');
			await book(client, await slotOn(client), newCustomer());
			const console = await signIn(browser(), client, { at: '/usage' });
			const usage = await console.text('figure svg title');
			expect(usage).toMatch(/^Requests: \d+ used, the plan has [\d,]+$/);
			await console.page.locator('figure ::-p-text(Bookings)').wait();
			expect(await console.text('figure:nth-of-type(2) svg title')).toMatch(/^Bookings: 1 used, the plan has [\d,]+$/);
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);
});
