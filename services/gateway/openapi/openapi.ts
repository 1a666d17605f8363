import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TObject, TSchema } from 'typebox';
import { faultCodes } from '../../../shared/contract/errors.ts';
import { KIB, type Operation, type Tag } from '../operations/operation.ts';
import { jsonSchema } from '../validation/json-schema.ts';
import {
	answerHeaders,
	exampleOf,
	headerParameters,
	headers,
	requestHeaders,
	schemaOf,
	schemas,
} from './components.ts';
import { errorResponses } from './errors.ts';
import { webhooks } from './webhooks.ts';

const TAGS: Record<Tag, string> = {
	Services: 'Offerings that can be booked',
	'Time slots': 'When a service can be booked, and how often',
	Bookings: 'A place of a time slot on a date',
	Customers: 'Whom a booking is for',
	Events: 'What happened to bookings',
	Webhooks: 'Where events are sent as they happen',
	Usage: 'What was used of the plan',
};

const GUIDES = join(import.meta.dirname, '../pages/guides');

const INTRODUCTION = `# Introduction

Publish services, let customers book them, and never be overbooked.

Every answer is JSON in an envelope: \`{"data": …}\` on success, \`{"error": …, "code": …}\` on failure. Authenticate with
\`Authorization: Bearer <API key>\`. GET operations answer HEAD too. A value that is not set is \`null\`; times are
ISO 8601 in UTC. Fields, events, error texts and codes may be added within /v1; ignore those that you do not know.
Answers above 1 KiB are compressed where \`Accept-Encoding\` takes \`gzip\`; an \`ETag\` is the same either way.`;

/** The OpenAPI 3.1 document of the table of operations. */
export function openapi(operations: readonly Operation[]): Record<string, unknown> {
	const paths: Record<string, Record<string, unknown>> = {};
	for (const operation of operations) {
		paths[operation.path] ??= {};
		paths[operation.path]![operation.method.toLowerCase()] = operationObject(operation, operations);
	}
	return {
		openapi: '3.1.0',
		info: {
			title: 'Slotwise',
			version: '1.0.0',
			description: description(),
			license: { name: 'MIT', identifier: 'MIT' },
		},
		servers: [{ url: '/', description: 'Where this document is served' }],
		security: [{ ApiKeyAuth: [] }],
		tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
		paths,
		webhooks: webhooks(),
		components: {
			securitySchemes: {
				ApiKeyAuth: { type: 'http', scheme: 'bearer', description: 'Your API key: `slw_` and 36 characters' },
			},
			schemas: { ...schemas, Error: ERROR, Fault: FAULT, PlanLimitError: PLAN_LIMIT_ERROR },
			headers,
			parameters: headerParameters,
		},
	};
}

const CODES = 'Lower-case words, joined by `_`. Codes are added, so expect others; they are never renamed.';

const FAULT = {
	type: 'object',
	description: 'What is wrong with one field',
	required: ['field', 'code', 'message'],
	properties: {
		field: {
			type: 'string',
			description: 'Such as `time_slots[3].end_time`; a header by its name; `body` or `query` where it is all of it',
		},
		code: { type: 'string', description: `${faultCodes.map((code) => `\`${code}\``).join(', ')}. ${CODES}` },
		message: { type: 'string', description: 'What would be right, to be read after the field' },
	},
};

const ERROR = {
	type: 'object',
	required: ['error', 'code'],
	properties: {
		error: { type: 'string', description: 'What went wrong, for people' },
		code: { type: 'string', description: `The same for programs. ${CODES}` },
		faults: {
			type: 'array',
			description: 'Field by field, where fields are what is wrong; at most 50, of slots all of them',
			items: { $ref: '#/components/schemas/Fault' },
		},
		alternatives: {
			type: 'array',
			description: 'Where the query asked for them: what can be booked instead, the nearest in time first',
			items: { $ref: '#/components/schemas/Alternative' },
		},
	},
};

const PLAN_LIMIT_ERROR = {
	type: 'object',
	required: ['error', 'code'],
	properties: {
		code: { type: 'string', const: 'rate_limit_exceeded' },
		error: {
			type: 'object',
			description: 'A limit of the plan is reached',
			required: ['code', 'message', 'retry_after'],
			properties: {
				code: { type: 'string', const: 'rate_limit_exceeded' },
				message: { type: 'string', description: 'Which limit' },
				retry_after: { type: 'integer', minimum: 1, description: 'Seconds to wait, as in `Retry-After`' },
			},
		},
	},
};

function operationObject(operation: Operation, operations: readonly Operation[]): Record<string, unknown> {
	const { id, tag, summary, parameters, sample, headers: rules } = operation;
	return {
		operationId: id,
		tags: [tag],
		summary,
		description: operation.description,
		parameters: [
			...parametersIn('path', parameters.path),
			...parametersIn('query', parameters.query, sample),
			...requestHeaders(rules),
		],
		...requestBody(operation),
		responses: { ...successResponses(operation, operations), ...errorResponses(operation) },
	};
}

function requestBody({ body }: Operation): Record<string, unknown> {
	if (body === undefined) return {};
	const content = json(schemaOf(body.schema), body.example);
	return { requestBody: { required: true, description: `At most ${body.limit / KIB} KiB`, content } };
}

function parametersIn(place: 'path' | 'query', schema: TObject, sample?: string): unknown[] {
	const { properties = {}, required = [] } = jsonSchema(schema);
	return Object.entries(properties).map(([name, property]) => ({
		name,
		in: place,
		required: required.includes(name),
		description: property.description,
		schema: schemaOf(property as TSchema),
		...exampleOf(property, required.includes(name) || name === sample),
		...(property.type === 'array' && { style: 'form', explode: false }),
	}));
}

function successResponses(operation: Operation, operations: readonly Operation[]): Record<string, unknown> {
	const { answer, dryRun, headers: rules } = operation;
	const success = {
		description: answer.description,
		headers: answerHeaders(rules),
		content: json(enveloped(schemaOf(answer.schema)), { data: answer.example }),
		...linksOf(operation, operations),
	};
	if (dryRun !== undefined) return { [answer.status]: success, 200: dryRunResponse(operation) };
	if (!rules.ifNoneMatch) return { [answer.status]: success };
	const unchanged = { description: 'The client has this version', headers: answerHeaders({ etag: true }) };
	return { [answer.status]: success, 304: unchanged };
}

/** Where the change itself answers 200, too, one response tells of both. */
function dryRunResponse({ answer, dryRun, headers: rules }: Operation): Record<string, unknown> {
	const preview = { schema: schemaOf(dryRun!.schema), value: { data: dryRun!.example } };
	if (answer.status !== 200) {
		const content = json(enveloped(preview.schema), preview.value);
		return { description: dryRun!.description, headers: answerHeaders({}), content };
	}
	return {
		description: `${answer.description}. With \`dry_run\`: ${dryRun!.description}`,
		headers: answerHeaders(rules),
		content: {
			'application/json': {
				schema: enveloped({ anyOf: [preview.schema, schemaOf(answer.schema)] }),
				examples: { default: { value: { data: answer.example } }, dry_run: { value: preview.value } },
			},
		},
	};
}

function enveloped(data: unknown): Record<string, unknown> {
	return { type: 'object', required: ['data'], properties: { data } };
}

function json(schema: unknown, example: unknown): Record<string, unknown> {
	return { 'application/json': { schema, example } };
}

/**
 * The introduction and the guides, as Markdown; readers of OpenAPI show its headings as chapters. A text before the first
 * heading would become a chapter that folds the others away.
 */
function description(): string {
	const guides = readdirSync(GUIDES).filter((name) => name.endsWith('.md'));
	const texts = guides.sort().map((name) => readFileSync(join(GUIDES, name), 'utf8').trim());
	return [INTRODUCTION, ...texts].join('\n\n');
}

/** The links of an operation that answers `Location`: the operations on what it made, by the id in its answer. */
function linksOf({ path, headers }: Operation, operations: readonly Operation[]): Record<string, unknown> {
	if (!headers.location) return {};
	const links = operations.flatMap((other) => {
		const parameter = /^\/\{(\w+)\}(?:\/[\w-]+)?$/.exec(other.path.slice(path.length))?.[1];
		if (!other.path.startsWith(path) || parameter === undefined) return [];
		const link = {
			operationId: other.id,
			description: other.summary,
			parameters: { [parameter]: '$response.body#/data/id' },
		};
		return [[other.id, link] as const];
	});
	return { links: Object.fromEntries(links) };
}
