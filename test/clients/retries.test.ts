import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
	type ClientOptions,
	ConnectionError,
	createClient,
	SlotwiseError,
} from '../../clients/typescript/src/index.ts';

type Step = (request: IncomingMessage, response: ServerResponse) => void;

const BOOKING = { date: '2027-01-04', time_slot_id: 7 };

const answers =
	(status: number, body: unknown, headers: Record<string, string> = {}): Step =>
	(_request, response) => {
		response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
	};
const hangsUp: Step = (request) => request.socket.destroy();
const refuses = (status: number, code: string, headers = {}) => answers(status, { error: code, code }, headers);
const away = refuses(503, 'service_unavailable', { 'retry-after': '1' });
const booked = answers(201, { data: { id: 1 } });

/** A server that goes through its steps, and the client that asks it. */
async function scripted(steps: Step[], options: Partial<ClientOptions> = {}) {
	const seen: { method: string; url: string; key: string | undefined; at: number }[] = [];
	server = createServer((request, response) => {
		const { method = '', url = '', headers } = request;
		seen.push({ method, url, key: headers['idempotency-key'] as string | undefined, at: performance.now() });
		request.resume().on('end', () => steps[Math.min(seen.length, steps.length) - 1]!(request, response));
	});
	await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
	const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return { seen, client: createClient({ baseUrl, apiKey: 'slw_x', ...options }) };
}

let server: ReturnType<typeof createServer> | undefined;

afterEach(() => {
	server?.closeAllConnections();
	server?.close();
});

describe("the TypeScript client's retries", () => {
	test('When a creation gets no answer, then it is sent again under the same key', async () => {
		const { seen, client } = await scripted([hangsUp, refuses(504, 'gateway_timeout'), booked]);
		expect(await client.createBooking({ body: BOOKING })).toEqual({ id: 1 });
		expect(seen).toHaveLength(3);
		expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
		expect(seen[0]!.key).toMatch(/^[\da-f-]{36}$/);
		await client.createBooking({ body: BOOKING });
		expect(seen[3]!.key).not.toBe(seen[0]!.key);
	});

	test('When the caller gives a key, then that one is sent', async () => {
		const { seen, client } = await scripted([booked]);
		await client.createBooking({ body: BOOKING, idempotencyKey: 'order-17' });
		expect(seen[0]!.key).toBe('order-17');
	});

	test('When the key or another option is undefined, then it is as if it was not given', async () => {
		const page = answers(200, { data: { services: [], pagination: { total_pages: 1 } } });
		const { seen, client } = await scripted([hangsUp, booked, page, page]);
		await client.createBooking({ body: BOOKING, idempotencyKey: undefined! });
		expect(seen[1]!.key).toMatch(/^[\da-f-]{36}$/);
		for await (const _ of client.each('listServices', { pageSize: undefined! })) throw new Error('there is none');
		expect(seen[2]!.url).toBe('/v1/services?page=1&page_size=100');
	});

	test.each([
		['another page', '<html>'],
		['half of an answer', '{"data":{"id":1'],
		['JSON of another', '{"ok":true}'],
	])('When %s comes with 201, then nobody knows, and a creation is sent again under its key', async (_, text) => {
		const odd: Step = (_request, response) => void response.writeHead(201).end(text);
		const { seen, client } = await scripted([odd, booked, odd]);
		expect(await client.createBooking({ body: BOOKING })).toEqual({ id: 1 });
		expect(seen[1]!.key).toBe(seen[0]!.key);
		const change = client.updateBooking({ bookingId: 1, body: { status: 'confirmed' } });
		await expect(change).rejects.toThrow(ConnectionError);
		expect(seen).toHaveLength(3);
	});

	test.each([
		['a date', new Date(Date.now() + 86_400_000).toUTCString(), expect.closeTo(86_400, -2)],
		['no number', '0x9', undefined],
	])('When Retry-After is %s, then it is read as that', async (_, text, seconds) => {
		const { client } = await scripted([refuses(429, 'rate_limit_exceeded', { 'retry-after': text })], { retries: 0 });
		await expect(client.getUsage()).rejects.toMatchObject({ retryAfter: seconds });
	});

	test('When an answer says Retry-After, then no request comes before that', async () => {
		const { seen, client } = await scripted([away, booked]);
		await client.createBooking({ body: BOOKING });
		expect(seen[1]!.at - seen[0]!.at).toBeGreaterThanOrEqual(990);
	});

	test('When a change that could be made twice gets no answer, then it is not sent again', async () => {
		const { seen, client } = await scripted([hangsUp, away]);
		const change = () => client.updateBooking({ bookingId: 1, body: { status: 'confirmed' } });
		await expect(change()).rejects.toThrow(ConnectionError);
		await expect(change()).rejects.toMatchObject({ status: 503, code: 'service_unavailable', retryAfter: 1 });
		expect(seen).toHaveLength(2);
	});

	test('When a change is refused by a limit, then it is sent again', async () => {
		const limited = refuses(429, 'rate_limit_exceeded', { 'retry-after': '1' });
		const { seen, client } = await scripted([limited, answers(200, { data: { id: 1 } })]);
		await client.updateBooking({ bookingId: 1, body: { status: 'confirmed' } });
		expect(seen).toHaveLength(2);
	});

	test('When the limit lasts longer than anybody wants to wait, then the error comes at once, with its message', async () => {
		const error = { code: 'rate_limit_exceeded', message: 'the month is used up', retry_after: 86_400 };
		const limited = answers(429, { error, code: error.code }, { 'retry-after': '86400' });
		const { seen, client } = await scripted([limited]);
		await expect(client.getUsage()).rejects.toMatchObject({ message: error.message, retryAfter: 86_400 });
		expect(seen).toHaveLength(1);
	});

	test('When the business refuses, then it is not asked again', async () => {
		const { seen, client } = await scripted([refuses(400, 'time_slot_full')]);
		await expect(client.createBooking({ body: BOOKING })).rejects.toThrow(SlotwiseError);
		expect(seen).toHaveLength(1);
	});

	test('When the server stays away, then the error comes after as many retries as were asked for', async () => {
		const { seen, client } = await scripted([hangsUp], { retries: 1 });
		await expect(client.listServices()).rejects.toMatchObject({ name: 'ConnectionError' });
		expect(seen).toHaveLength(2);
	});

	test('When something else than the API answers, then it is an error with its status', async () => {
		const page: Step = (_request, response) => void response.writeHead(404).end('<html>');
		const { client } = await scripted([page]);
		await expect(client.listServices()).rejects.toMatchObject({ status: 404, code: 'unknown' });
	});

	test('When the caller gives up, then the wait ends', async () => {
		const { client } = await scripted([refuses(429, 'rate_limit_exceeded', { 'retry-after': '50' })]);
		const signal = AbortSignal.timeout(50);
		await expect(client.listServices({}, { signal })).rejects.toMatchObject({ name: 'TimeoutError' });
	});
});
