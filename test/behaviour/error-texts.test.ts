import { describe, expect, test } from '@jest/globals';
import { expectEnvelope, expectError } from '../support/expectations.ts';
import type { Answer } from '../support/http-client.ts';
import { book, newCustomer, slotOn, tryToBook } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';
import { until } from '../support/until.ts';

/** Word for word as contract §7 and docs/errors.md have them; a client may compare texts. */
describe('Error texts (contract §7)', () => {
	test('When the slot has reached max_bookings, then 400 `time slot is full`', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		await book(client, place);
		expectError(await tryToBook(client, place), 400, 'time slot is full');
	});

	test('When the customer already has a booking for this slot, then 400 `duplicate booking`', async () => {
		const client = newAccount();
		const place = await slotOn(client, { max_bookings: 2 });
		const customer = newCustomer();
		await book(client, place, customer);
		expectError(await tryToBook(client, place, customer), 400, 'duplicate booking');
	});

	test('When the booking id does not exist, then 404 `booking not found`', async () => {
		expectError(await newAccount().get('/v1/bookings/123456789'), 404, 'booking not found');
	});

	test('When the service could not be found, then 404', async () => {
		expectError(await newAccount().get('/v1/services/123456789'), 404, 'service not found');
	});

	test('When bookings are created faster than the plan allows, then 429 `rate limit exceeded`', async () => {
		const client = newAccount('Starter');
		const place = await slotOn(client, { max_bookings: 100 });
		// Where both limits are reached, the one of all requests is told.
		const limited = await until(
			async () => {
				const answers = await Promise.all(Array.from({ length: 8 }, () => tryToBook(client, place)));
				return answers.find(({ status, body }) => status === 429 && typeof body.error === 'string');
			},
			{ what: 'a creation to be refused', interval: 1_000 },
		);
		expectError(limited, 429, 'rate limit exceeded');
		expect(Number(limited.headers['retry-after'])).toBeGreaterThanOrEqual(1);
	});

	test('When requests come faster than the plan allows, then 429 with the object of the interface', async () => {
		const client = newAccount('Starter');
		const answers: Answer[] = [];
		const limited = await until(
			async () => {
				answers.push(...(await Promise.all(Array.from({ length: 50 }, () => client.get('/v1/services')))));
				const refused = answers.filter((answer) => answer.status === 429);
				return refused.length > 0 && refused;
			},
			{ what: 'a 429' },
		);
		for (const answer of limited) {
			const error = answer.body.error as { code: string; message: string; retry_after: number };
			expectEnvelope(answer);
			expect(error).toEqual({
				code: 'rate_limit_exceeded',
				message: expect.any(String),
				retry_after: Number(answer.headers['retry-after']),
			});
			expect(error.retry_after).toBeGreaterThanOrEqual(1);
			expect(answer.headers['x-ratelimit-limit']).toBe('10');
			expect(answer.headers['x-ratelimit-remaining']).toBe('0');
		}
		for (const answer of answers) expect(Number(answer.headers['x-ratelimit-reset'])).toBeGreaterThan(1_700_000_000);
	});
});
