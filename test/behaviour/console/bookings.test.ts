import { expect, test } from '@jest/globals';
import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import { type Console, onChromium, PATIENCE, signIn } from '../../console/console-page.ts';
import { dateOn } from '../../support/calendar.ts';
import type { Client } from '../../support/http-client.ts';
import {
	activeBookings,
	book,
	createService,
	getBooking,
	newCustomer,
	slotInput,
	slotOn,
	slotsOf,
} from '../../support/scheduling.ts';
import { newAccount } from '../../support/shared-product.ts';
import { until } from '../../support/until.ts';

/** A service on two days of the week, the first full at one booking, and the dates of both in one week */
async function twoDays(client: Client) {
	const service = await createService(client, {
		time_slots: [
			slotInput({ day_of_week: 1, max_bookings: 2 }),
			slotInput({ day_of_week: 3, max_bookings: 1 }),
			slotInput({ day_of_week: 5, max_bookings: 1 }),
		],
	});
	const slots = await slotsOf(client, service.id);
	const monday = dateOn(1);
	const after = (days: number) => new Date(Date.parse(monday) + days * 86_400_000).toISOString().slice(0, 10);
	const [first, second, third] = slots.map((slot, index) => ({ slot, date: after(index * 2) }));
	return { service, monday, first: first!, second: second!, third: third! };
}

const bookingOf = async (client: Client, id: number, wanted: Partial<Booking>) =>
	until(async () => {
		const booking = await getBooking(client, id);
		expect(booking).toMatchObject(wanted);
		return booking;
	});

onChromium('Bookings in the console', (browser) => {
	test(
		'When somebody opens an occurrence and books, then it is booked, and shown as fuller',
		async () => {
			const client = newAccount();
			const { first, service, monday } = await twoDays(client);
			const console = await signIn(browser(), client, { at: `/calendar?date=${monday}` });
			await console.page.locator('.occurrence.free').click();
			await console.press('Book');
			await console.fill('Name', 'Ada Lovelace');
			await console.fill('E-mail', 'ada@example.com');
			await console.fill('Telephone', '+4930123456');
			await console.fill('Note', 'Window seat');
			await submit(console, 'Book');
			await console.reads('Ada Lovelace');
			await console.reads('1 of 2');
			const [booking] = await activeBookings(client, service.id);
			expect(booking).toMatchObject({ date: first.date, status: 'confirmed', message: 'Window seat' });
			expect(booking!.customer).toMatchObject({ name: 'Ada Lovelace', email: 'ada@example.com', phone: '+4930123456' });
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When what somebody books is full, then they are told, and can take what is free nearby',
		async () => {
			const client = newAccount();
			const { service, second } = await twoDays(client);
			await book(client, second, newCustomer());
			const console = await signIn(browser(), client, { at: `/calendar?slot=${second.slot.id}&on=${second.date}` });
			await console.press('Book');
			await console.fill('Name', 'Grace Hopper');
			await submit(console, 'Book');
			await console.reads('This time is fully booked.');
			const chips = await console.page.waitForSelector('.chips .button');
			await chips!.click();
			await submit(console, 'Book');
			await console.isWithout('New booking');
			const booked = await until(async () => {
				const all = await activeBookings(client, service.id);
				return all.find(({ customer }) => customer.name === 'Grace Hopper');
			});
			expect(booked.time_slot_id).not.toBe(second.slot.id);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When somebody confirms, holds and cancels, then so it is, and the history tells each',
		async () => {
			const client = newAccount();
			const place = await slotOn(client, { max_bookings: 2 });
			const { id } = await book(client, place, newCustomer());
			const console = await signIn(browser(), client, { at: `/calendar?booking=${id}` });
			await console.press('Hold…');
			await console.fill('Minutes from now', '45');
			await submit(console, 'Hold');
			expect((await bookingOf(client, id, { status: 'pending', version: 2 })).expires_at).not.toBeNull();
			await console.reads('Held until');
			await console.press('Hold…');
			await console.press('Take the hold off');
			await bookingOf(client, id, { expires_at: null, version: 3 });
			await console.isWithout('Hold this place');
			await console.press('Confirm');
			await bookingOf(client, id, { status: 'confirmed' });
			await console.press('Cancel…');
			await console.fill('Reason', 'Caught a cold');
			await submit(console, 'Cancel the booking');
			await bookingOf(client, id, { status: 'cancelled', cancel_reason: 'Caught a cold' });
			await console.press('Book again');
			await bookingOf(client, id, { status: 'pending' });
			await until(async () => {
				const words = await console.page.$$eval('.history strong', (all) => all.map(({ textContent }) => textContent));
				expect(words).toEqual(['Changed', 'Cancelled', 'Confirmed', 'Changed', 'Changed', 'Booked']);
				return true;
			});
			await console.reads('Caught a cold');
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When a reason is missing, then nothing is cancelled',
		async () => {
			const client = newAccount();
			const { id } = await book(client, await slotOn(client), newCustomer());
			const console = await signIn(browser(), client, { at: `/calendar?booking=${id}` });
			await console.press('Cancel…');
			await submit(console, 'Cancel the booking');
			await console.sees('Reason', 'textbox');
			expect((await getBooking(client, id)).status).toBe('pending');
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When somebody drags a booking to another time, then it is moved; where that is full, it is put back and they are told',
		async () => {
			const client = newAccount();
			const { first, second, third, monday } = await twoDays(client);
			const moved = await book(client, first, { customer_name: 'Emmy Noether', customer_email: 'emmy@example.com' });
			await book(client, third, newCustomer());
			const console = await signIn(browser(), client, { at: `/calendar?show=bookings&date=${monday}` });
			await drag(console, 'Emmy Noether', 2);
			await bookingOf(client, moved.id, { date: second.date, time_slot_id: second.slot.id, version: 2 });
			await console.reads('Moved to');
			await inColumn(console, 'Emmy Noether', second.date);
			await drag(console, 'Emmy Noether', 2);
			await console.reads('Not moved. This time is fully booked.');
			await inColumn(console, 'Emmy Noether', second.date);
			await drag(console, 'Emmy Noether', 1);
			await console.reads('Nothing takes place on');
			await inColumn(console, 'Emmy Noether', second.date);
			expect(await getBooking(client, moved.id)).toMatchObject({ date: second.date, version: 2 });
			expect(console.complaints).toEqual([]);
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When somebody changed a booking meanwhile, then a drag is put back, and the console reads it again',
		async () => {
			const client = newAccount();
			const { first, second, monday } = await twoDays(client);
			const { id } = await book(client, first, { customer_name: 'Alan Turing' });
			const console = await signIn(browser(), client, { at: `/calendar?show=bookings&date=${monday}` });
			await inColumn(console, 'Alan Turing', first.date);
			(await client.patch(`/v1/bookings/${id}`, { message: 'Meanwhile' })).mustBe(200);
			await drag(console, 'Alan Turing', 2);
			await console.reads('Not moved. Somebody changed this meanwhile.');
			await drag(console, 'Alan Turing', 2);
			await bookingOf(client, id, { date: second.date, message: 'Meanwhile' });
			await console.close();
		},
		PATIENCE,
	);

	test(
		'When somebody moves a booking without a mouse, then a refusal says why, and offers what is free',
		async () => {
			const client = newAccount();
			const { first, second, third } = await twoDays(client);
			const { id } = await book(client, first, newCustomer());
			await book(client, second, newCustomer());
			const console = await signIn(browser(), client, { at: `/calendar?booking=${id}` });
			await console.press('Move…');
			await console.page.locator('.time:nth-of-type(2) input').click();
			await submit(console, 'Move');
			await console.reads('This time is fully booked.');
			await console.sees('Free times nearby', 'region');
			await console.page.locator(`.time:nth-of-type(3) input`).click();
			await submit(console, 'Move');
			await bookingOf(client, id, { date: third.date });
			await console.reads('Moved to');
			await console.close();
		},
		PATIENCE,
	);
});

/** Presses the button of the dialog that is open. */
async function submit(console: Console, name: string): Promise<void> {
	await console.page.locator(`dialog[open] button[type=submit]::-p-text(${name})`).click();
}

/** Drags a booking so many days further, to the same time. */
async function drag(console: Console, name: string, days: number): Promise<void> {
	const { page } = console;
	await console.settles();
	const box = await until(async () => {
		const event = await page.waitForSelector(`.booking-event::-p-text(${name})`);
		return event!.boundingBox(); // null where it was drawn anew meanwhile
	});
	const [x, y] = [box.x + box.width / 2, box.y + 10];
	const width = await columnWidth(console);
	await page.mouse.move(x, y);
	await page.mouse.down();
	await page.mouse.move(x + 8, y + 2, { steps: 4 });
	await page.mouse.move(x + width * days, y, { steps: 12 });
	await page.mouse.up();
}

async function columnWidth({ page }: Console): Promise<number> {
	const [first, second] = await page.$$eval('.calendar [role=columnheader]', (all) =>
		(all as unknown as { getBoundingClientRect(): { x: number } }[]).map((one) => one.getBoundingClientRect().x),
	);
	return second! - first!;
}

/** Waits until a booking is in the column of a date. */
async function inColumn({ page }: Console, name: string, date: string): Promise<void> {
	await page.locator(`.calendar [data-date="${date}"] .booking-event::-p-text(${name})`).wait();
}
