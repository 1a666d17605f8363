import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openapi } from '../../services/gateway/openapi/openapi.ts';
import { operations } from '../../services/gateway/operations/index.ts';
import { ApiError, catalogue, type ErrorType } from '../../shared/contract/errors.ts';
import { type Document, errorsOf } from '../reference/document.ts';
import { Judge } from '../reference/judge.ts';
import { elsewhere } from '../reference/provocations.ts';
import { exampleRequest } from './support/example-request.ts';
import { exampleBackend } from './support/examples.ts';
import { type Backend, startGateway, type TestGateway } from './support/start-gateway.ts';

/**
 * The reference is true also of what the whole product does not answer on demand (test/behaviour/reference.test.ts has
 * the rest): here the services behind the gateway fail.
 */
const judge = new Judge(openapi(operations) as unknown as Document);
const cases = judge.operations.flatMap((described) => {
	const operation = operations.find(({ id }) => id === described.operation.operationId)!;
	const declared = errorsOf(described.operation) as { type: ErrorType; status: number }[];
	const failing = declared.filter(({ type }) => elsewhere[type] !== undefined);
	return failing.map(({ type, status }) => [operation.id, type, status, { operation, described }] as const);
});

let gateway: TestGateway;
let failure: Error;
beforeAll(async () => {
	const fail = () => {
		throw failure;
	};
	const backend = Object.fromEntries(Object.keys(exampleBackend).map((action) => [action, fail])) as Backend;
	gateway = await startGateway({ backend });
});
afterAll(() => gateway.stop());

test('When the list of what is not provoked over HTTP is read, then some operation declares each', () => {
	expect(new Set(cases.map(([, type]) => type))).toEqual(new Set(Object.keys(elsewhere)));
});

describe('The reference is true of failures', () => {
	test.each(cases)('When %s fails with %s, then the %i is as described', async (...[, type, status, one]) => {
		failure = type === 'internal_error' ? new Error('a bug') : new ApiError(type);
		const { method, path, options } = exampleRequest(one.operation);
		const answer = await gateway.client.request(method, path, options);
		expect([answer.status, answer.error, answer.body.code]).toEqual([status, catalogue[type].text, type]);
		expect(judge.faultsOf(one.described, answer)).toEqual([]);
		expect('retry-after' in answer.headers).toBe(type === 'service_unavailable' || type === 'request_in_progress');
	});
});
