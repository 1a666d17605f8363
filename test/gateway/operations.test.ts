import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { operations } from '../../services/gateway/operations/index.ts';
import { exampleRequest } from './support/example-request.ts';
import { exampleBackend, impactExample } from './support/examples.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({ backend: exampleBackend });
});
afterAll(() => gateway.stop());

/** That an answer was sent is told after it. */
const BESIDE = ['booking.deletionAnswered', 'catalog.deletionAnswered', 'notifications.deletionAnswered'];
/** What was called for requests */
const called = () => gateway.calls.filter(({ action }) => !BESIDE.includes(action));

describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (_id, operation) => {
	const { method, path, options } = exampleRequest(operation);

	test('When its example is sent, then it calls its action for the account of the key and answers the envelope', async () => {
		gateway.calls.length = 0;
		const answer = await gateway.client.request(method, path, options);
		expect([answer.status, Object.keys(answer.body)]).toEqual([operation.answer.status, ['data']]);
		const ofOperation = called().filter((call) => call.action !== 'accounts.verifyKey');
		expect(ofOperation.map((call) => call.action)).toEqual([operation.action]);
		expect(ofOperation[0]!.params.account_id).toBe('acc_test');
	});

	test('When the key has only the other scope, then 403 and no call', async () => {
		gateway.calls.length = 0;
		const other = gateway.addKey({ scopes: [operation.scope === 'read' ? 'write' : 'read'] });
		const answer = await gateway.client.withKey(other).request(method, path, options);
		expect([answer.status, answer.error]).toEqual([403, 'insufficient scope']);
		expect(called().map((call) => call.action)).toEqual(['accounts.verifyKey']);
	});

	if (operation.dryRun !== undefined) {
		test('S8: When it is a dry run, then it is a preview that is asked for, by a key that may make the change', async () => {
			gateway.calls.length = 0;
			const dryRun = { ...options, query: { dry_run: true } };
			const answer = await gateway.client.request(method, path, dryRun);
			expect([answer.status, answer.body.data]).toEqual([200, expect.objectContaining({ impact: impactExample })]);
			const [preview] = called().filter((call) => call.action !== 'accounts.verifyKey');
			expect(preview).toMatchObject({
				action: expect.stringMatching(/^catalog\.preview/),
				params: { account_id: 'acc_test' },
			});
			const reader = gateway.client.withKey(gateway.addKey({ scopes: ['read'] }));
			expect((await reader.request(method, path, dryRun)).error).toBe('insufficient scope');
			expect(called().filter((call) => call.action === preview!.action)).toHaveLength(1);
		});
	}

	test('When its answer has a version, then ETag is that version; else there is none', async () => {
		const answer = await gateway.client.request(method, path, options);
		expect(answer.headers.etag).toBe(operation.headers.etag ? '"1"' : undefined);
	});

	test('When it creates, then Location names what it made', async () => {
		const { headers } = await gateway.client.request(method, path, options);
		const { id } = operation.answer.example as { id: number };
		const expected = operation.headers.location && `${path}/${id}`;
		expect(headers.location).toBe(expected);
	});

	test('When an If-Match is sent, then its versions reach the action exactly where the table says so', async () => {
		gateway.calls.length = 0;
		await gateway.client.request(method, path, { ...options, headers: { 'if-match': '"3", W/"4"' } });
		expect(called().at(-1)!.params.if_match).toEqual(operation.headers.ifMatch ? [3] : undefined);
	});

	test('V1: When If-None-Match names the version, then 304 without a body where the table says so', async () => {
		const headers = { 'if-none-match': 'W/"1"' };
		const answer = await gateway.client.request(method, path, { ...options, headers });
		const expected = operation.headers.ifNoneMatch ? 304 : operation.answer.status;
		expect(answer.status).toBe(expected);
		expect(answer.text === '').toBe(expected === 304);
	});
});

test('When the table is read, then every id, and every method and path, is there once', () => {
	const ids = operations.map(({ id }) => id);
	const routes = operations.map(({ method, path }) => `${method} ${path}`);
	expect([new Set(ids).size, new Set(routes).size]).toEqual([operations.length, operations.length]);
});
