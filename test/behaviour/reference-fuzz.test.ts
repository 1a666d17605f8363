import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openapi } from '../../services/gateway/openapi/openapi.ts';
import { operations } from '../../services/gateway/operations/index.ts';
import type { Known } from '../reference/arbitraries.ts';
import type { Document } from '../reference/document.ts';
import { Judge } from '../reference/judge.ts';
import { type RandomRequest, randomRequest } from '../reference/random-request.ts';
import { dateOn } from '../support/calendar.ts';
import type { Answer, Client } from '../support/http-client.ts';
import { newAccount } from '../support/shared-product.ts';
import { settleWorld, type World } from '../support/world.ts';

/** s for all operations together, beyond the first requests; more by a variable. fast-check prints a failure's seed. */
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 5);
/** Requests to each operation, however long they take */
const AT_LEAST = 30;
/** Accounts that an operation may use up by deleting what they have */
const ACCOUNTS = 15;

const judge = new Judge(openapi(operations) as unknown as Document);
const matrix = judge.operations.map((described) => [described.operation.operationId, described] as const);
const counts = new Map<string, Map<number, number>>();

afterAll(() => {
	if (process.env.FUZZ_SECONDS === undefined) return;
	const lines = [...counts].map(([id, statuses]) => {
		const sorted = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
		return `${id.padEnd(24)} ${sorted.join(', ')}`;
	});
	process.stdout.write(`${lines.join('\n')}\n`);
});

describe('Random requests that the reference suggests', () => {
	test.each(matrix)(
		'When %s is sent valid and nearly valid requests, then no answer is a 5xx and each is as described',
		async (id, described) => {
			let stage = await setStage();
			let accounts = 1;
			const statuses = new Map<number, number>();
			counts.set(id, statuses);
			const property = fc.asyncProperty(fc.gen(), async (generate) => {
				const request = generate(() => randomRequest(judge.document, described, stage.known));
				const answer = await send(stage.client, request);
				statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
				expect(answer.status).toBeLessThan(500);
				expect(judge.faultsOf(described, answer)).toEqual([]);
				if (described.method === 'DELETE' && answer.status === 200 && accounts++ < ACCOUNTS) stage = await setStage();
			});
			const end = performance.now() + (SECONDS * 1000) / matrix.length;
			do await fc.assert(property, { numRuns: AT_LEAST, endOnFailure: true });
			while (performance.now() < end);
		},
		SECONDS * 1000 + 60_000,
	);

	test('When all were sent, then each operation was asked, and a good part succeeded and was refused', () => {
		expect([...counts.keys()]).toEqual(matrix.map(([id]) => id));
		const statuses = [...counts.values()].flatMap((one) => [...one]);
		const total = (part: [number, number][]) => part.reduce((sum, [, count]) => sum + count, 0);
		expect(total(statuses)).toBeGreaterThanOrEqual(matrix.length * AT_LEAST);
		for (const part of [statuses.filter(([status]) => status < 400), statuses.filter(([status]) => status >= 400)]) {
			expect(total(part)).toBeGreaterThan(total(statuses) / 10);
		}
	});
});

async function setStage(): Promise<{ client: Client; known: Known }> {
	const client = newAccount();
	return { client, known: knownOf(await settleWorld(client)) };
}

function knownOf({ ids, date }: World): Known {
	const dates = [date, date, date, ...[0, 1, 2, 3].map(dateOn)];
	return {
		serviceID: [ids.service],
		service_id: [ids.service],
		bookingID: [ids.booking],
		time_slot_id: [ids.slot],
		'time_slots[].id': [ids.slot],
		webhookID: [ids.webhook],
		deliveryID: [ids.delivery],
		date: dates,
		from: dates,
		to: dates,
		timezone: ['Europe/Berlin', 'UTC', 'Asia/Calcutta', 'Mars/Base'],
		start_time: ['2026-01-05 09:00:00', '2026-01-05 10:00:00', '2026-02-30 09:00:00'],
		end_time: ['2026-01-05 10:30:00', '2026-01-06 01:00:00'],
		// Nobody listens there, and no other host is ever named.
		url: ['http://127.0.0.1:9/', 'http://127.0.0.1:9/hooks?a=b', 'ftp://127.0.0.1/', 'nonsense'],
		wait: [0],
	};
}

function send(client: Client, { method, target, headers, body }: RandomRequest): Promise<Answer> {
	return client.request(method, target, { headers, body });
}
