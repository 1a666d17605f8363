import { openapi } from '../../services/gateway/openapi/openapi.ts';
import { operations } from '../../services/gateway/operations/index.ts';

export type Schema = Record<string, unknown>;

interface Parameter {
	name: string;
	in: 'path' | 'query' | 'header';
	required: boolean;
	schema: Schema;
}

export interface Described {
	operationId: string;
	summary: string;
	parameters: Parameter[];
	requestBody?: { content: { 'application/json': { schema: Schema } } };
	responses: Record<string, { description: string; content: { 'application/json': { schema: Schema } } }>;
}

export interface Reference {
	paths: Record<string, Record<string, Described>>;
	components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

/** Headers that a caller gives; the clients see to the others themselves, and keep no answers that could be unchanged. */
const GIVEN = ['If-Match', 'Idempotency-Key'];

/**
 * The OpenAPI document, less what the clients do for all operations alike: they take answers out of their envelope and
 * make one kind of error of all failures.
 */
export function clientReference(): Reference {
	const whole = structuredClone(openapi(operations)) as unknown as Reference & { webhooks?: unknown };
	delete whole.webhooks;
	for (const path of Object.values(whole.paths)) {
		for (const described of Object.values(path)) {
			const parameters = described.parameters.map((parameter) => resolved(parameter, whole));
			described.parameters = parameters.filter(({ in: place, name }) => place !== 'header' || GIVEN.includes(name));
			const answers = Object.entries(described.responses).filter(([status]) => Number(status) < 300);
			described.responses = Object.fromEntries(answers.map(([status, answer]) => [status, unwrapped(answer)]));
		}
	}
	return whole;
}

function resolved(parameter: Parameter | { $ref: string }, { components }: Reference): Parameter {
	return '$ref' in parameter ? components.parameters[parameter.$ref.split('/').at(-1)!]! : parameter;
}

function unwrapped({ description, content }: Described['responses'][string]): Described['responses'][string] {
	const { schema } = content['application/json'];
	return { description, content: { 'application/json': { schema: (schema.properties as { data: Schema }).data } } };
}
