import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Booking } from '../../shared/contract/schemas/booking.ts';
import { decided } from '../support/decided.ts';
import { expectError } from '../support/expectations.ts';
import { activeBookings, book, getBooking, newCustomer, slotOn, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';

const PLACES = 100;
const CLAIMS = 1_000;
/** ms over which claims and confirmations come while holds end */
const DURING = 4_000;

/** Places that were held for a minute, over three booking processes: the shortest hold that the interface has */
test('B6: When 1,000 want the places of holds that end meanwhile, while others confirm them, then exactly as many get one, and none that was confirmed is lost', async () => {
	const client = newAccount();
	const place = await slotOn(client, { max_bookings: PLACES });
	const held = await Promise.all(Array.from({ length: PLACES }, () => book(client, place, { hold_minutes: 1 })));
	const ends = held.map(({ expires_at }) => Date.parse(expires_at!));
	await delay(Math.max(0, Math.min(...ends) - 1_000 - Date.now()));

	const confirm = ({ id }: Booking) =>
		decided(() => client.patch<Booking>(`/v1/bookings/${id}`, { status: 'confirmed' }));
	const claim = () => {
		const [customer, headers] = [newCustomer(), { 'idempotency-key': randomUUID() }];
		return decided(() => tryToBook(client, place, customer, { headers }));
	};
	const confirming = held.map(async (booking) => {
		await delay(DURING * Math.random());
		return confirm(booking);
	});
	const claiming = Array.from({ length: CLAIMS / 2 }, async () => {
		await delay(DURING * Math.random());
		return claim();
	});
	const [confirmations, during] = await Promise.all([Promise.all(confirming), Promise.all(claiming)]);
	await delay(Math.max(0, Math.max(...ends) + 1_000 - Date.now())); // every process' clock says so
	const after = await Promise.all(Array.from({ length: CLAIMS / 2 }, claim));

	const kept = held.filter((_, index) => confirmations[index]!.status === 200);
	for (const answer of confirmations) if (answer.status !== 200) expectError(answer, 400, 'hold expired');
	const answers = [...during, ...after];
	const made = answers.filter(({ status }) => status === 201);
	for (const answer of answers) if (answer.status !== 201) expectError(answer, 400, 'time slot is full');
	expect(made.length + kept.length).toBe(PLACES);

	const active = await activeBookings(client, place.service.id);
	expect(active.map(({ id }) => id).sort()).toEqual(
		[...kept, ...made.map(({ data }) => data)].map(({ id }) => id).sort(),
	);
	for (const { id } of kept) expect(await getBooking(client, id)).toMatchObject({ status: 'confirmed', version: 2 });
});
