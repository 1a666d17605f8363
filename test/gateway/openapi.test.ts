import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Value } from 'typebox/value';
import { operations } from '../../services/gateway/operations/index.ts';
import { catalogue } from '../../shared/contract/errors.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

interface Document {
	openapi: string;
	paths: Record<string, Record<string, Described>>;
	components: Record<string, Record<string, unknown>>;
}
interface Described {
	operationId: string;
	parameters: ({ $ref: string } | { name: string; in: string; required: boolean; schema: unknown })[];
	requestBody?: { content: Record<string, { schema: unknown; example: unknown }> };
	responses: Record<
		string,
		{ headers: Record<string, unknown>; content?: Record<string, { schema?: object; examples?: object }> }
	>;
}

let gateway: TestGateway;
let document: Document;
beforeAll(async () => {
	gateway = await startGateway();
	const answer = await gateway.client.withKey(undefined).get('/openapi.json');
	document = JSON.parse(answer.text);
});
afterAll(() => gateway.stop());

test('When the document is read, then it is OpenAPI 3.1 and every reference leads somewhere', () => {
	expect(document.openapi).toMatch(/^3\.1\./);
	const references = JSON.stringify(document).match(/"#\/components\/[^"]+"/g)!;
	for (const reference of new Set(references)) {
		const [, , kind, name] = reference.slice(1, -1).split('/');
		expect([reference, document.components[kind!]?.[name!]]).not.toEqual([reference, undefined]);
	}
});

test('When the document is read, then it has the operations of the table and no others', () => {
	const described = Object.entries(document.paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, { operationId }]) => [operationId, method.toUpperCase(), path]),
	);
	expect(described.sort()).toEqual(operations.map(({ id, method, path }) => [id, method, path]).sort());
});

describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (_id, operation) => {
	const described = () => document.paths[operation.path]![operation.method.toLowerCase()]!;

	test('When it is described, then with all of its parameters', () => {
		const names = described().parameters.flatMap((parameter) =>
			'name' in parameter ? [`${parameter.in} ${parameter.name}`] : [],
		);
		const expected = (['path', 'query'] as const).flatMap((place) =>
			Object.keys(operation.parameters[place].properties).map((name) => `${place} ${name}`),
		);
		expect(names).toEqual(expected);
		expect(operation.path.match(/[^{]+(?=})/g) ?? []).toEqual(Object.keys(operation.parameters.path.properties));
	});

	test('When it is described, then with every error that it can answer, by status', () => {
		const { responses } = described();
		const types = [
			'invalid_request',
			'invalid_api_key',
			'insufficient_scope',
			'rate_limit_exceeded',
			'service_unavailable',
			...operation.errors,
		] as const;
		for (const type of types) {
			const examples = responses[catalogue[type].status]?.content?.['application/json']?.examples;
			expect(Object.keys(examples ?? {})).toContain(type);
		}
		expect(Object.keys(responses)).toContain(String(operation.answer.status));
		expect('304' in responses).toBe(operation.headers.ifNoneMatch === true);
		for (const response of Object.values(responses)) expect(response.headers).toHaveProperty('X-Request-Id');
	});

	test('R3: When it is described, then every answer to an account has the headers of its rate, 429 both shapes', () => {
		const { responses } = described();
		const names = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
		for (const [status, { headers }] of Object.entries(responses)) {
			const found = names.filter((name) => name in headers);
			expect([status, found]).toEqual([status, status === '401' ? [] : names]);
		}
		expect(responses[429]!.headers).toHaveProperty('Retry-After');
		const { schema, examples } = responses[429]!.content!['application/json']!;
		expect(examples).toMatchObject({
			rate_limit_exceeded: {
				value: { error: { code: 'rate_limit_exceeded', message: expect.any(String), retry_after: 1 } },
			},
		});
		const both = operation.errors.includes('booking_rate_limit_exceeded');
		expect(both).toBe(operation.ownBucket !== undefined);
		expect(schema).toHaveProperty(both ? 'oneOf' : '$ref');
	});

	test('When its examples are checked, then they are what its schemas say', () => {
		expect([...Value.Errors(operation.answer.schema, operation.answer.example)]).toEqual([]);
		const { dryRun } = operation;
		if (dryRun !== undefined) expect([...Value.Errors(dryRun.schema, dryRun.example)]).toEqual([]);
		expect(described().requestBody !== undefined).toBe(operation.body !== undefined);
		if (operation.body) expect([...Value.Errors(operation.body.schema, operation.body.example)]).toEqual([]);
	});
});
