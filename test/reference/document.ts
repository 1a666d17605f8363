/** What the tests read of an OpenAPI document. */
export interface Document {
	paths: Record<string, Record<string, DescribedOperation>>;
	components: Record<string, Record<string, unknown>>;
	webhooks?: Record<string, unknown>;
}

export interface DescribedOperation {
	operationId: string;
	parameters: (Parameter | Reference)[];
	requestBody?: { content: Record<string, { schema: Schema; example: unknown }> };
	responses: Record<string, Response>;
}

export interface Reference {
	$ref: string;
}

export interface Parameter {
	name: string;
	in: 'path' | 'query' | 'header';
	required: boolean;
	schema: Schema;
}

export interface Response {
	headers: Record<string, Header | Reference>;
	content?: Record<string, { schema: Schema; examples?: Record<string, { value: unknown }> }>;
}

export interface Header {
	required?: boolean;
	schema: Schema;
}

export type Schema = Record<string, unknown>;

export interface Described {
	method: string;
	path: string;
	operation: DescribedOperation;
}

/** Every operation of a document. */
export function operationsOf({ paths }: Document): Described[] {
	return Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
	);
}

/** What a reference leads to; anything else as it is. */
export function resolved<T extends object>(document: Document, value: T | Reference): T {
	if (!('$ref' in value)) return value;
	const [, , kind, name] = (value as Reference).$ref.split('/');
	return document.components[kind!]![name!] as T;
}

/** The types of errors that an operation is said to answer, by their status. */
export function errorsOf({ responses }: DescribedOperation): { type: string; status: number }[] {
	const failures = Object.entries(responses).filter(([status]) => Number(status) >= 400);
	return failures.flatMap(([status, response]) =>
		Object.keys(response.content?.['application/json']?.examples ?? {}).map((type) => ({
			type,
			status: Number(status),
		})),
	);
}
