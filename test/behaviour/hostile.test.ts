import { beforeAll, describe, expect, test } from '@jest/globals';
import { operations } from '../../services/gateway/operations/index.ts';
import { hostileBodies } from '../gateway/hostile/bodies.ts';
import { hostileFields } from '../gateway/hostile/fields.ts';
import { ENTITY_TAGS, IDEMPOTENCY_KEYS } from '../gateway/hostile/headers.ts';
import { hostilePaths, hostileQueries } from '../gateway/hostile/parameters.ts';
import { expectHarmless, forEach } from '../gateway/hostile/refusal.ts';
import { sendTarget } from '../gateway/hostile/target.ts';
import type { Client } from '../support/http-client.ts';
import { ownRequest } from '../support/id-inputs.ts';
import { newAccount } from '../support/shared-product.ts';
import { settleWorld, type World } from '../support/world.ts';

/** Every operation, from the table: none can be forgotten. */
const all = operations.map((operation) => [operation.id, operation] as const);
const withBody = all.filter(([, { body }]) => body !== undefined);

const JSON_TYPE = { 'content-type': 'application/json' };

let client: Client;
let world: World;
let before: Awaited<ReturnType<World['snapshot']>>;
beforeAll(async () => {
	client = newAccount();
	world = await settleWorld(client);
	before = await world.snapshot();
});

const send = (method: string, target: string, raw?: string | Buffer, headers: Record<string, string> = {}) =>
	sendTarget(client.url, method, target, { ...JSON_TYPE, authorization: `Bearer ${client.key}`, ...headers }, raw);

/** The target of a request that the operation accepts. */
function ownTarget(operation: (typeof operations)[number]): string {
	const { path, query } = ownRequest(operation, world);
	return path + asQuery(Object.entries(query).map(([name, value]) => `${name}=${value}`));
}

function asQuery(parts: string[]): string {
	return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

async function expectNothingChanged(): Promise<void> {
	expect(await world.snapshot()).toEqual(before);
}

describe('A6: When a body is hostile, then 400 or 422 in the envelope, and nothing happens', () => {
	test.each(withBody)('%s: each field', async (_, operation) => {
		const { body } = ownRequest(operation, world);
		const inputs = hostileFields(operation, body);
		expect(inputs.length).toBeGreaterThanOrEqual(10); // of one field
		await forEach(inputs, async ({ field, raw }) => {
			const answer = await send(operation.method, ownTarget(operation), raw);
			expectHarmless(answer, [400, 422], raw);
			expect({ raw: raw.slice(0, 300), error: answer.error }).toEqual({
				raw: raw.slice(0, 300),
				error: expect.stringContaining(field),
			});
		});
		await expectNothingChanged();
	});

	test.each(withBody)('%s: the whole body', async (_, operation) => {
		await forEach(hostileBodies(operation.body!.limit), async ([what, raw, refusal]) => {
			const answer = await send(operation.method, ownTarget(operation), raw);
			expectHarmless(answer, [400], what);
			expect({ what, error: answer.error }).toEqual({ what, error: expect.stringMatching(refusal) });
		});
		await expectNothingChanged();
	});

	test('A name that is given twice counts as the last one, as JSON.parse has it', async () => {
		const raw = `{"date":"${world.date}","date":"x","time_slot_id":${world.ids.slot}}`;
		expectHarmless(await send('POST', '/v1/bookings', raw), [400], raw);
	});
});

describe('A6: When a path or a query is hostile, then 400 or 404 in the envelope', () => {
	test.each(all)('%s', async (_, operation) => {
		const { path, query, body } = ownRequest(operation, world);
		const raw = body === undefined ? undefined : JSON.stringify(body);
		await forEach(hostileQueries(operation, query), async (hostile) => {
			expectHarmless(await send(operation.method, `${path}?${hostile}`, raw), [400], hostile);
		});
		await forEach(hostilePaths(operation), async (hostile) => {
			expectHarmless(await send(operation.method, hostile, raw), [400, 404], hostile);
		});
		await expectNothingChanged();
	});
});

describe('A7: When a header is hostile, then it counts as what it is, and is answered in the envelope', () => {
	test.each(all.filter(([, { headers }]) => headers.ifMatch))('%s: If-Match matches nothing', async (_, operation) => {
		const { body } = ownRequest(operation, world);
		const raw = body === undefined ? undefined : JSON.stringify(body);
		for (const tags of ENTITY_TAGS) {
			const answer = await send(operation.method, ownTarget(operation), raw, { 'if-match': tags });
			expectHarmless(answer, [412], tags);
		}
		await expectNothingChanged();
	});

	test.each(all.filter(([, { headers }]) => headers.ifNoneMatch))(
		'%s: If-None-Match matches nothing',
		async (_, operation) => {
			for (const tags of ENTITY_TAGS) {
				const answer = await send(operation.method, ownTarget(operation), undefined, { 'if-none-match': tags });
				expect({ tags, status: answer.status }).toEqual({ tags, status: 200 });
			}
		},
	);

	test.each(all.filter(([, { headers }]) => headers.idempotencyKey))('%s: Idempotency-Key', async (_, operation) => {
		const { body } = ownRequest(operation, world);
		for (const key of IDEMPOTENCY_KEYS) {
			const headers = { 'idempotency-key': key };
			expectHarmless(await send(operation.method, ownTarget(operation), JSON.stringify(body), headers), [400], key);
		}
		await expectNothingChanged();
	});
});
