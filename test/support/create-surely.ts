import { randomUUID } from 'node:crypto';
import type { Client } from './http-client.ts';
import { until } from './until.ts';

/**
 * Creates what a test needs before it begins. What a busy machine did not decide is sent again with its idempotency key.
 */
export function createSurely<T>(client: Client, path: string, body: unknown, key: string = randomUUID()): Promise<T> {
	const headers = { 'idempotency-key': key };
	return until(async () => {
		const answer = await client.post<T>(path, body, { headers });
		return [408, 409, 503, 504].includes(answer.status) ? undefined : { data: answer.mustBe(201) };
	}).then(({ data }) => data);
}
