import { expect, test } from '@jest/globals';
import { addDays } from '../../shared/calendar/plain-date.ts';
import { dateOn } from '../support/calendar.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { createService, slotInput } from '../support/scheduling.ts';
import { newAccount } from '../support/shared-product.ts';
import { until } from '../support/until.ts';

const DAYS = 92;
const SLOTS = 500;
/** Starter: 5 requests a second, so 5,000 units of work a second, of which it may have 20 s at once */
const HELD = 100_000;
const REFILL = 5_000;

const remaining = (answer: Answer) => Number(answer.headers['x-ratelimit-remaining']);

/** The plan's own rate must not be what refuses. */
async function whenWithinRate(client: Client, ask: () => Promise<Answer>): Promise<Answer> {
	// Each look is a request, too.
	await until(async () => remaining(await client.get('/v1/usage')) >= 3, { interval: 1_000 });
	return ask();
}

/** Asks again and again until it is refused, at what its work allows. @param rows of one answer */
async function untilRefused(client: Client, rows: number, ask: () => Promise<Answer>): Promise<Answer> {
	const since = performance.now();
	for (let served = 0; ; served++) {
		const answer = await whenWithinRate(client, ask);
		if (answer.status !== 200) {
			expect(served * rows).toBeGreaterThan(HELD / 2);
			return answer;
		}
		const seconds = (performance.now() - since) / 1000;
		expect(served * rows).toBeLessThan(HELD + seconds * REFILL + 2 * rows);
	}
}

function fullService(client: Client): Promise<{ id: number }> {
	return createService(client, {
		time_slots: Array.from({ length: SLOTS }, (_, at) => slotInput({ day_of_week: at % 7 })),
	});
}

function expectOverWork(answer: Answer): void {
	expect(answer.status).toBe(429);
	expect(answer.body).toEqual({
		error: {
			code: 'rate_limit_exceeded',
			message: expect.any(String),
			retry_after: Number(answer.headers['retry-after']),
		},
		code: 'rate_limit_exceeded',
	});
	expect(remaining(answer)).toBeGreaterThan(0);
}

test('N1: When a Starter asks for the dearest availability again and again, then its work is limited, and nothing else', async () => {
	const client = newAccount('Starter');
	const service = await fullService(client);
	const availability = (days: number) => {
		const query = { from: dateOn(1), to: addDays(dateOn(1), days - 1) };
		return client.get(`/v1/services/${service.id}/availability`, { query });
	};
	const answer = await untilRefused(client, (DAYS * SLOTS) / 7, () => availability(DAYS));
	expectOverWork(answer);
	const seconds = Number(answer.headers['retry-after']);
	expect(seconds).toBeGreaterThanOrEqual(1);
	expect(seconds).toBeLessThan(60);
	expect((await client.get(`/v1/services/${service.id}`)).status).toBe(200);

	const told = performance.now();
	await until(() => performance.now() - told >= seconds * 1000);
	expect((await whenWithinRate(client, () => availability(1))).status).toBe(200);
});

test('N1: When a Starter asks for several services at once, then the rows of all are its work', async () => {
	const client = newAccount('Starter');
	const ids: number[] = [];
	for (let count = 0; count < 3; count++) ids.push((await fullService(client)).id);
	const query = { service_ids: ids.join(','), from: dateOn(1), to: addDays(dateOn(1), DAYS - 1) };
	const ask = () => client.get('/v1/availability', { query });
	expectOverWork(await untilRefused(client, (ids.length * DAYS * SLOTS) / 7, ask));
});
