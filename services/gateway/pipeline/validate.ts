import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Idempotency, IfMatch } from '../../../shared/contract/actions.ts';
import type { Operation, ValidRequest } from '../operations/operation.ts';
import { type Check, compile } from '../validation/compile.ts';
import { Faults } from '../validation/faults.ts';
import { type JsonSchema, jsonSchema } from '../validation/json-schema.ts';
import { pickFields, restOf } from '../validation/parse-body.ts';
import { convertText, parseQuery } from '../validation/parse-parameters.ts';
import { parseIfMatch } from './answer-outcome.ts';

export interface RawRequest {
	/** The path's parameters, in their order */
	pathValues: string[];
	query: string;
	/** Of an operation that takes one */
	body: Record<string, unknown> | undefined;
	headers: IncomingHttpHeaders;
}

export interface CheckedRequest extends ValidRequest<unknown, unknown, unknown> {
	ifMatch: IfMatch | undefined;
	idempotency: Idempotency | undefined;
}

export type Validate = (raw: RawRequest) => CheckedRequest;

/**
 * Makes the checks of an operation, once. Path, query and body are checked apart and never merged. A client is
 * told all faults of its request at once.
 */
export function compileValidation(operation: Operation): Validate {
	const readPath = pathReader(jsonSchema(operation.parameters.path));
	const readQuery = queryReader(jsonSchema(operation.parameters.query));
	const readBody = bodyReader(operation);
	const taken = operation.body?.compared ? jsonSchema(operation.body.schema) : undefined;
	return ({ pathValues, query: queryText, body: rawBody, headers }) => {
		const faults = new Faults();
		const path = readPath(pathValues, faults);
		const query = readQuery(queryText, faults);
		const body = rawBody && readBody(rawBody, faults);
		const key = operation.headers.idempotencyKey ? idempotencyKey(headers, faults) : undefined;
		const readOnly = taken === undefined || rawBody === undefined ? {} : restOf(rawBody, taken);
		if (faults.isEmpty) operation.check?.({ path, query, body, readOnly }, faults);
		if (!faults.isEmpty) throw faults.toError();
		const idempotency = key === undefined ? undefined : identify(key, operation.id, path, query, rawBody);
		const ifMatch = operation.headers.ifMatch ? parseIfMatch(headers['if-match']) : undefined;
		return { path, query, body, readOnly, ifMatch, idempotency };
	};
}

type Reader<T> = (raw: T, faults: Faults) => Record<string, unknown>;

function pathReader(schema: JsonSchema): Reader<string[]> {
	const properties = Object.entries(schema.properties ?? {});
	const check = checkOf(schema);
	return (texts, faults) => {
		const values: Record<string, unknown> = {};
		for (const [index, [name, property]] of properties.entries()) values[name] = convertText(texts[index]!, property);
		check(values, faults);
		return values;
	};
}

function queryReader(schema: JsonSchema): Reader<string> {
	const check = checkOf(schema);
	return (text, faults) => {
		const values = parseQuery(text, schema, faults);
		check(values, faults);
		return values;
	};
}

function bodyReader({ body }: Operation): Reader<Record<string, unknown>> {
	if (body === undefined) return () => ({});
	const [schema, resource] = [jsonSchema(body.schema), jsonSchema(body.resource)];
	const check = checkOf(schema);
	return (raw, faults) => {
		const fields = pickFields(raw, schema, resource, faults);
		check(fields, faults);
		return fields;
	};
}

/** Most operations have no path or no query parameters. */
function checkOf(schema: JsonSchema): Check {
	return Object.keys(schema.properties ?? {}).length === 0 ? () => {} : compile(schema);
}

function idempotencyKey(headers: IncomingHttpHeaders, faults: Faults): string | undefined {
	const header = headers['idempotency-key'];
	if (header === undefined) return undefined;
	const key = typeof header === 'string' ? parseIdempotencyKey(header) : undefined;
	if (key === undefined) faults.add('Idempotency-Key', 'wrong_format', 'must be 1 to 255 visible ASCII characters');
	return key;
}

function identify(key: string, operation: string, path: unknown, query: unknown, body: unknown): Idempotency {
	return { key, fingerprint: fingerprint({ operation, path, query, body }) };
}

const BARE = /^[\x21-\x7e]{1,255}$/;
const QUOTED = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;

/** The key of an `Idempotency-Key` header, quoted (RFC 8941 §3.3.3) or bare, which are one; undefined: malformed. */
export function parseIdempotencyKey(header: string): string | undefined {
	const key = header.startsWith('"') ? QUOTED.exec(header)?.[1]?.replace(/\\(.)/g, '$1') : header;
	return key !== undefined && BARE.test(key) ? key : undefined;
}

/** SHA-256, hex, of what makes two requests the same; the order of fields does not. */
export function fingerprint(request: { operation: string; path: unknown; query: unknown; body: unknown }): string {
	return createHash('sha256')
		.update(JSON.stringify(sorted(request)))
		.digest('hex');
}

/** Depth is bounded where the body is parsed. `entries` keeps a field of any name, and its order, as it is. */
function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== 'object' || value === null) return value;
	const names = Object.keys(value).sort();
	return { entries: names.map((name) => [name, sorted((value as Record<string, unknown>)[name])]) };
}
