import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { operations } from '../../services/gateway/operations/index.ts';
import type { Clock } from '../../shared/engine/clock.ts';
import { bound } from '../support/bound.ts';
import { sendRaw } from '../support/raw-http.ts';
import { hostileBodies } from './hostile/bodies.ts';
import { hostileFields } from './hostile/fields.ts';
import { AUTHORIZATIONS, ENCODINGS, ENTITY_TAGS } from './hostile/headers.ts';
import { hostileQueries } from './hostile/parameters.ts';
import { expectHarmless } from './hostile/refusal.ts';
import { sendTarget } from './hostile/target.ts';
import { fill } from './hostile/values.ts';
import { exampleRequest } from './support/example-request.ts';
import { exampleBackend } from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

/**
 * ms that no input may hold up the event loop for (promise A7): 50 on a machine that does nothing else (ALONE=1). Beside other
 * work, which empties the processor's caches, the bound only tells a parser whose time grows with the square.
 */
const LIMIT = bound(50, 250);
/** The median of the longest turns of so many rounds counts, for one of them may hold a collection of garbage. */
const ROUNDS = 3;

class TestClock implements Clock {
	ms = 1_000_000;
	now = () => this.ms;
	monotonic = () => this.ms;
}

const clock = new TestClock();
let gateway: TestGateway;
let json: Record<string, string>;
beforeAll(async () => {
	gateway = await startGateway({ backend: exampleBackend, clock });
	json = { authorization: `Bearer ${gateway.client.key}`, 'content-type': 'application/json' };
});
afterAll(() => gateway.stop());
beforeEach(() => {
	clock.ms += 60_000; // what failed before counts no more for the address
});

/**
 * ms of processor time that the longest turn of the event loop takes while `run` runs. It is what the loop is held up for
 * on a machine that does nothing else; the time for which other load keeps the thread waiting does not count.
 */
async function longestTurn(run: () => Promise<void>): Promise<number> {
	let longest = 0;
	let before = process.threadCpuUsage();
	let isOver = false;
	const turn = () => {
		const { user, system } = process.threadCpuUsage(before);
		longest = Math.max(longest, (user + system) / 1000);
		before = process.threadCpuUsage();
		if (!isOver) setImmediate(turn);
	};
	setImmediate(turn);
	await run();
	isOver = true;
	return longest;
}

/**
 * Sends everything, one at a time, until the median is known to be below the limit or not: two rounds of three decide it
 * where they agree. The client lives in the same loop, so what is measured is more than the gateway takes.
 */
async function expectPrompt<T>(inputs: readonly T[], send: (input: T) => Promise<void>): Promise<void> {
	const longest: number[] = [];
	const isDecided = () => {
		const prompt = longest.filter((ms) => ms <= LIMIT).length;
		return Math.max(prompt, longest.length - prompt) > ROUNDS / 2;
	};
	while (!isDecided()) {
		longest.push(
			await longestTurn(async () => {
				for (const input of inputs) await send(input);
			}),
		);
	}
	// Of two that agree both are on one side of the limit, and so is the lower one; of three the middle one is the median.
	expect(longest.sort((a, b) => a - b)[longest.length - 2]).toBeLessThanOrEqual(LIMIT);
}

const operation = (id: string) => operations.find((entry) => entry.id === id)!;

describe('A7: When the corpus is sent, then the event loop is never held up for long', () => {
	test.each(operations.filter(({ body }) => body !== undefined).map(({ id }) => id))('bodies of %s', async (id) => {
		const { method, path } = exampleRequest(operation(id));
		const { body } = operation(id);
		const fields = hostileFields(operation(id), body!.example).map(({ raw }) => raw);
		const whole = hostileBodies(body!.limit).map(([, raw]) => raw);
		await expectPrompt([...fields, ...whole], async (raw) => {
			const { status } = await sendTarget(gateway.url, method, path, json, raw);
			expect(status).toBeLessThan(500);
		});
	});

	test('bodies as large as they may be, in chunks of a byte, of which there are too many, and of 64', async () => {
		const head =
			`POST /v1/bookings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.client.key}\r\nConnection: close\r\n` +
			'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
		const most = (chunk: string) => chunk.repeat(60_000 / Number.parseInt(chunk, 16)); // just below 64 KiB
		const inputs: [string, number][] = [
			[most('1\r\n \r\n'), 413],
			[most('1\r\n{\r\n'), 413],
			[most(`40\r\n${' '.repeat(64)}\r\n`), 400],
		];
		await expectPrompt(inputs, async ([chunks, status]) => {
			expect((await sendRaw(gateway.url, `${head}${chunks}0\r\n\r\n`)).status).toBe(status);
		});
	});

	test('queries', async () => {
		const list = operation('listBookings');
		const queries = hostileQueries(list, { service_id: 3, page: 1, page_size: 20 });
		await expectPrompt(queries, async (query) => {
			expectHarmless(await sendTarget(gateway.url, 'GET', `${list.path}?${query}`, json), [400], query);
		});
	});

	test('lists of entity tags', async () => {
		await expectPrompt(ENTITY_TAGS, async (tags) => {
			const matching = await sendTarget(gateway.url, 'PATCH', '/v1/bookings/7', { ...json, 'if-match': tags }, '{}');
			expect(matching.status).toBe(200); // the services behind compare
			expect(JSON.stringify(gateway.calls.at(-1)!.params.if_match)).toMatch(/^\[\d*(,\d+)*\]$/);
			const headers = { ...json, 'if-none-match': tags };
			expect((await sendTarget(gateway.url, 'GET', '/v1/bookings/7', headers)).status).toBe(200);
		});
	});

	test('lists of encodings, of answers and of pages', async () => {
		await expectPrompt(ENCODINGS, async (encodings) => {
			const headers = { ...json, 'accept-encoding': encodings };
			for (const path of ['/v1/services/3', '/docs']) {
				expect((await sendTarget(gateway.url, 'GET', path, headers)).status).toBe(200);
			}
		});
	});

	test('A1: Authorization, which costs no call', async () => {
		gateway.calls.length = 0;
		const sent = AUTHORIZATIONS.map((authorization) => ({ ...json, authorization }));
		await expectPrompt(sent, async (headers) => {
			clock.ms += 1_000;
			const answer = await sendTarget(gateway.url, 'GET', '/v1/services', headers);
			expectHarmless(answer, [401], headers.authorization);
		});
		expect(gateway.calls).toEqual([]);
	});

	test('as many headers as fit', async () => {
		const head = `GET /v1/services HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
		const names = Array.from({ length: 3_500 }, (_, at) => `${at.toString(36)}:`);
		const many = [
			fill('a:\r\n', 60_000),
			fill('cookie:a\r\n', 15_000),
			`${names.join('\r\n')}\r\n`,
			fill('x:,\r\n', 25_000),
		];
		await expectPrompt(many, async (headers) => {
			const whole = headers.slice(0, headers.lastIndexOf('\r\n') + 2);
			expect([401, 431]).toContain((await sendRaw(gateway.url, `${head}${whole}\r\n`)).status);
		});
	});
});
