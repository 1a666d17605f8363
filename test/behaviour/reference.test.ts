import { beforeAll, describe, expect, test } from '@jest/globals';
import { Value } from 'typebox/value';
import { openapi } from '../../services/gateway/openapi/openapi.ts';
import { operations } from '../../services/gateway/operations/index.ts';
import { catalogue, type ErrorType } from '../../shared/contract/errors.ts';
import { type Document, errorsOf } from '../reference/document.ts';
import { Judge } from '../reference/judge.ts';
import { elsewhere, provocations } from '../reference/provocations.ts';
import { type Prepared, perform, prepare, setStage } from '../reference/stage.ts';
import type { Answer } from '../support/http-client.ts';
import { anonymous } from '../support/shared-product.ts';

const judge = new Judge(openapi(operations) as unknown as Document);
const matrix = judge.operations.map((described) => {
	const operation = operations.find(({ id }) => id === described.operation.operationId)!;
	return [operation.id, { described, operation }] as const;
});

/** Errors whose text names what was wrong. */
const NAMING: ErrorType[] = ['invalid_request', 'unprocessable'];
const WITH_RETRY_AFTER: ErrorType[] = ['rate_limit_exceeded', 'booking_rate_limit_exceeded'];

let prepared: Prepared;
beforeAll(async () => {
	prepared = await prepare(operations);
});

function textOf({ body }: Answer): unknown {
	const { error } = body as { error: string | { message: string } };
	return typeof error === 'object' ? error.message : error;
}

test('When the product is asked for its reference, then it is the one that these tests judge by', async () => {
	const { text } = await anonymous().get('/openapi.json');
	expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(judge.document)));
});

describe.each(matrix)('The reference is true: %s', (_id, { described, operation }) => {
	test('When it succeeds, then the answer is as described', async () => {
		const answer = await perform(await setStage(operation));
		expect({ status: answer.status, text: answer.text }).toMatchObject({ status: operation.answer.status });
		expect(judge.faultsOf(described, answer)).toEqual([]);
		const { path } = described;
		if (operation.headers.location) expect(answer.headers.location).toMatch(new RegExp(`^${path}/[1-9]\\d*$`));
		if (operation.headers.etag) expect(answer.headers.etag).toMatch(/^"[1-9]\d*"$/);
	});

	if (operation.dryRun !== undefined) {
		test('S8: When it is a dry run, then the answer is as described, and of its schema', async () => {
			const answer = await perform(await setStage(operation), { query: { dry_run: true } });
			expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
			expect(judge.faultsOf(described, answer)).toEqual([]);
			expect([...Value.Errors(operation.dryRun!.schema, answer.data)]).toEqual([]);
		});
	}

	if (operation.headers.ifNoneMatch) {
		test('When the client has the version, then the 304 is as described', async () => {
			const answer = await perform(await setStage(operation), { headers: { 'if-none-match': '*' } });
			expect(answer.status).toBe(304);
			expect(judge.faultsOf(described, answer)).toEqual([]);
		});
	}

	if (operation.headers.idempotencyKey) {
		test('When it is repeated under its Idempotency-Key, then the replay is as described', async () => {
			const stage = await setStage(operation);
			const headers = { 'idempotency-key': 'order-1001' };
			const [first, second] = [await perform(stage, { headers }), await perform(stage, { headers })];
			expect([second.text, second.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
			expect(judge.faultsOf(described, second)).toEqual([]);
		});
	}

	const declared = errorsOf(described.operation) as { type: ErrorType; status: number }[];
	const provoked = declared.filter(({ type }) => elsewhere[type] === undefined);

	test.each(provoked.map(({ type, status }) => [type, status] as const))(
		'When it is refused with %s, then the %i is as described',
		async (type, status) => {
			const provoke = provocations[type];
			if (provoke === undefined) throw new Error(`nothing provokes ${type}: tell test/reference/provocations.ts how`);
			const answer = await provoke(operation, prepared);
			expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
			expect(answer.body.code).toBe(type);
			if (!NAMING.includes(type)) expect(textOf(answer)).toBe(catalogue[type].text);
			expect(judge.faultsOf(described, answer)).toEqual([]);
			expect('retry-after' in answer.headers).toBe(WITH_RETRY_AFTER.includes(type));
		},
	);
});
