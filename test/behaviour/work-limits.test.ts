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

test('N1: When a Starter asks for the dearest availability again and again, then its work is limited, and nothing else', async () => {
	const client = newAccount('Starter');
	const time_slots = Array.from({ length: SLOTS }, (_, at) => slotInput({ day_of_week: at % 7 }));
	const service = await createService(client, { time_slots });
	const availability = (days: number) => {
		const query = { from: dateOn(1), to: addDays(dateOn(1), days - 1) };
		return client.get(`/v1/services/${service.id}/availability`, { query });
	};
	const rows = (DAYS * SLOTS) / 7;
	const since = performance.now();
	let served = 0;
	let answer: Answer;
	for (;;) {
		answer = await whenWithinRate(client, () => availability(DAYS));
		if (answer.status !== 200) break;
		served++;
		const seconds = (performance.now() - since) / 1000;
		expect(served * rows).toBeLessThan(HELD + seconds * REFILL + 3 * rows);
	}
	const seconds = Number(answer.headers['retry-after']);
	expect(answer.status).toBe(429);
	expect(answer.body).toEqual({
		error: { code: 'rate_limit_exceeded', message: expect.any(String), retry_after: seconds },
		code: 'rate_limit_exceeded',
	});
	expect(seconds).toBeGreaterThanOrEqual(1);
	expect(seconds).toBeLessThan(60);
	expect(served * rows).toBeGreaterThan(HELD / 2);
	expect(remaining(answer)).toBeGreaterThan(0);
	expect((await client.get(`/v1/services/${service.id}`)).status).toBe(200);

	const told = performance.now();
	await until(() => performance.now() - told >= seconds * 1000);
	expect((await whenWithinRate(client, () => availability(1))).status).toBe(200);
});
