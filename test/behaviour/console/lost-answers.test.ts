import { expect, test } from '@jest/globals';
import type { HTTPRequest } from 'puppeteer-core';
import type { WebhookList } from '../../../shared/contract/schemas/webhook.ts';
import { type Console, onChromium, PATIENCE, signIn } from '../../console/console-page.ts';
import { activeBookings, book, feedsOf, getBooking, scheduleOf, slotOn } from '../../support/scheduling.ts';
import { newAccount } from '../../support/shared-product.ts';
import { until } from '../../support/until.ts';

/** What comes between the console and the gateway */
type Fault = 'the answer is lost' | 'nothing arrives' | 'the key has ended';

/** The next requests of a method, as many as `times`, meet a fault, after so many ms; those behind them do not. */
async function spoil({ page }: Console, method: string, fault: Fault, { ms = 0, times = 1 } = {}): Promise<void> {
	await page.setRequestInterception(true);
	let left = times;
	page.on('request', (request) => {
		if (left === 0 || request.method() !== method) return void request.continue();
		left--;
		void answerAway(request, fault, ms);
	});
}

async function answerAway(request: HTTPRequest, fault: Fault, ms: number): Promise<void> {
	if (fault === 'the answer is lost') {
		const body = request.postData();
		const sent = { method: request.method(), headers: request.headers(), ...(body !== undefined && { body }) };
		await fetch(request.url(), sent);
	}
	if (fault === 'the key has ended') {
		return request.respond({ status: 401, contentType: 'application/json', body: '{"code":"invalid_api_key"}' });
	}
	await new Promise((resolve) => setTimeout(resolve, ms));
	await request.respond({ status: 504, body: '' });
}

const occurrence = ({ service, slot, date }: Awaited<ReturnType<typeof slotOn>>) =>
	`/calendar?service=${service.id}&date=${date}&slot=${slot.id}&on=${date}`;

const submit = ({ page }: Console, name: string) =>
	page.locator(`dialog[open] button[type=submit]::-p-text(${name})`).click();

onChromium('What becomes of a change in the console whose answer does not come', (browser) => {
	test.each<Fault>(['the answer is lost', 'nothing arrives'])(
		'When a booking is made, and %s of its confirmation, then pressing once more books nothing twice',
		async (fault) => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 5 });
			const { service } = place;
			const console = await signIn(browser(), client, { at: occurrence(place) });
			await spoil(console, 'PATCH', fault);
			await console.press('Book');
			await console.fill('Name', 'Ada');
			await submit(console, 'Book');
			if (fault === 'nothing arrives') {
				await console.reads('It is booked, but not confirmed.');
				await submit(console, 'Book');
			}
			await console.reads('Booked: ');
			expect((await activeBookings(client, service.id)).map(({ status }) => status)).toEqual(['confirmed']);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When the key ends before what was booked is confirmed, then the same form with another key books nothing twice',
		async () => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 5 });
			const { service } = place;
			const console = await signIn(browser(), client, { at: occurrence(place) });
			await spoil(console, 'PATCH', 'the key has ended');
			await console.press('Book');
			await console.fill('Name', 'Ada');
			await submit(console, 'Book');
			await console.reads('This key is not valid any more');
			await console.signIn(client.key!);
			await console.press('Book');
			await submit(console, 'Book');
			await console.reads('Booked: ');
			expect((await activeBookings(client, service.id)).map(({ status }) => status)).toEqual(['confirmed']);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When a booking is confirmed and the answer is lost, then it is seen confirmed, and the gateway is seen to be there',
		async () => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 5 });
			const { service } = place;
			const { id } = await book(client, place);
			const console = await signIn(browser(), client, { at: `/calendar?service=${service.id}&booking=${id}` });
			await spoil(console, 'PATCH', 'the answer is lost');
			await console.press('Confirm');
			await console.reads('It may have happened all the same');
			await until(async () => (await console.text('.status-line')) === 'confirmed');
			await console.isWithout('The gateway does not answer');
			expect(await getBooking(client, id)).toMatchObject({ status: 'confirmed' });
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When a webhook is not made for want of an answer, then what is typed anew makes the one that it says',
		async () => {
			const client = newAccount();
			await slotOn(client);
			const console = await signIn(browser(), client, { at: '/webhooks' });
			await console.press('New webhook');
			await console.fill('URL', 'http://127.0.0.1:9/first');
			await console.fill('Description', 'Till');
			await spoil(console, 'POST', 'the answer is lost', { times: 4 }) /* as often as it is tried */;
			await submit(console, 'Create');
			await console.reads('It may have happened all the same');
			await console.fill('Description', 'Shop');
			await submit(console, 'Create');
			await console.reads('The secret of the webhook');
			const { webhooks } = await client.get<WebhookList>('/v1/webhooks').then((answer) => answer.mustBe(200));
			expect(webhooks.map(({ description }) => description).sort()).toEqual(['Shop', 'Till']);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When a feed is made and the answer is lost, then it is in the list, where it can be deleted',
		async () => {
			const client = newAccount();
			const { service } = await slotOn(client, { max_bookings: 5 });
			const console = await signIn(browser(), client, { at: `/feeds?service=${service.id}` });
			await console.reads('No calendar feeds yet');
			await spoil(console, 'POST', 'the answer is lost');
			await console.press('Create a feed');
			await console.isWithout('No calendar feeds yet');
			const [feed] = await feedsOf(client, service.id);
			await console.sees(`Delete feed ${feed!.id}…`, 'button');
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When somebody closes a form while it is sent, then they are told that no answer came',
		async () => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 5 });
			const { service } = place;
			const { id } = await book(client, place);
			const console = await signIn(browser(), client, { at: `/calendar?service=${service.id}&booking=${id}` });
			await spoil(console, 'PATCH', 'nothing arrives', { ms: 1_000 });
			await console.press('Hold…');
			await submit(console, 'Hold');
			await console.type('Escape');
			await console.page.waitForSelector('dialog[open]', { hidden: true });
			await console.reads('No answer came.');
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When a schedule was changed by somebody else, then what was typed is kept, and can be saved or given up',
		async () => {
			const client = newAccount();
			const { service, slot } = await slotOn(client, { max_bookings: 5 });
			const console = await signIn(browser(), client, { at: `/schedule?service=${service.id}` });
			await console.fill('Bookings, slot 1', '7');
			await console.press('Preview');
			await console.reads('No booking to come is affected.');
			(await client.patch('/v1/time-slots', { time_slots: [{ id: slot.id, max_bookings: 4 }] })).mustBe(200);
			await console.press('Save the schedule');
			await console.reads('Somebody changed this schedule meanwhile.');
			const field = () => console.page.$eval('input[type=number]', (one: unknown) => (one as { value: string }).value);
			await console.sees('Show the schedule as it is now', 'button');
			expect(await field()).toBe('7');
			expect(await scheduleOf(client, service.id)).toMatchObject({ time_slots: [{ max_bookings: 4 }] });
			await console.press('Preview');
			await console.reads('No booking to come is affected.');
			await console.press('Save the schedule');
			await console.reads('The schedule was saved.');
			expect(await scheduleOf(client, service.id)).toMatchObject({ time_slots: [{ max_bookings: 7 }] });
			await console.isWithout('Show the schedule as it is now');
			await console.close();
		},
		PATIENCE,
	);
});
