import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Answer, Client } from '../support/http-client.ts';
import { createService, slotOn } from '../support/scheduling.ts';
import { anonymous, newAccount, sharedProduct } from '../support/shared-product.ts';
import { until } from '../support/until.ts';

const GENERATED = /^[A-Za-z0-9._-]{1,128}$/;

describe('X-Request-Id (contract §1)', () => {
	const requests: [string, number, (client: Client) => Promise<Answer>][] = [
		['a success', 200, (client) => client.get('/v1/services')],
		['a creation', 201, (client) => client.post('/v1/services', { name: 'A', timezone: 'UTC' })],
		['an unknown path', 404, (client) => client.get('/nothing')],
		['a wrong method', 405, (client) => client.request('PUT', '/v1/services')],
		['a missing key', 401, (client) => client.withKey(undefined).get('/v1/services')],
		['a bad request', 400, (client) => client.get('/v1/services?page=0')],
		['an unknown object', 404, (client) => client.get('/v1/services/9007199254740991')],
		['the health check', 200, (client) => client.get('/healthz')],
		['the description', 200, (client) => client.get('/openapi.json')],
	];
	test.each(requests)('When a request is answered with %s, then the answer carries an id', async (_, status, ask) => {
		const answer = await ask(newAccount());
		expect(answer.status).toBe(status);
		expect(answer.headers['x-request-id']).toMatch(GENERATED);
	});

	test('When an answer is 304, then it carries an id', async () => {
		const client = newAccount();
		const place = await slotOn(client);
		const body = { date: place.date, time_slot_id: place.slot.id };
		const { id } = (await client.post<{ id: number }>('/v1/bookings', body)).mustBe(201);
		const answer = await client.get(`/v1/bookings/${id}`, {
			headers: { 'if-none-match': '"1"', 'x-request-id': 'mine' },
		});
		expect(answer.status).toBe(304);
		expect(answer.headers['x-request-id']).toBe('mine');
	});

	test.each(['a', 'A.b_c-9', 'x'.repeat(128)])('When the client sends the id %s, then it is kept', async (id) => {
		const answer = await anonymous().get('/v1/services', { headers: { 'x-request-id': id } });
		expect(answer.headers['x-request-id']).toBe(id);
	});

	test.each(['', 'x'.repeat(129), 'with space', 'semi;colon', 'umlaut-ä', '{"a":1}', '../x', 'a,b'])(
		'When the client sends the unsuitable id "%s", then another one is made',
		async (id) => {
			const answer = await anonymous().get('/v1/services', {
				headers: { 'x-request-id': Buffer.from(id).toString('latin1') },
			});
			expect(answer.headers['x-request-id']).toMatch(GENERATED);
			expect(answer.headers['x-request-id']).not.toBe(id);
		},
	);

	test('When many requests carry no id, then each one gets its own', async () => {
		const answers = await Promise.all(Array.from({ length: 100 }, () => anonymous().get('/healthz')));
		expect(new Set(answers.map((answer) => answer.headers['x-request-id'])).size).toBe(100);
	});

	test('When a request is served, then its id is in the log', async () => {
		const client = newAccount();
		const service = await createService(client);
		const id = `in-the-log-${service.id}-${process.pid}`;
		await client.get(`/v1/services/${service.id}`, { headers: { 'x-request-id': id } });
		const lines = () => sharedProduct().logFiles.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
		const line = await until(() => lines().find((candidate) => candidate.includes(id)), { what: 'the log line' });
		expect(JSON.parse(line)).toMatchObject({ request_id: id });
	});
});
