import type { TSchema } from 'typebox';

/** The part of JSON Schema that the API's schemas (shared/contract/schemas) use. TypeBox's own types hide it behind generics. */
export interface JsonSchema {
	type?: 'object' | 'array' | 'string' | 'integer' | 'boolean' | 'null';
	format?: string;
	pattern?: string;
	const?: string;
	minimum?: number;
	maximum?: number;
	minLength?: number;
	maxLength?: number;
	minItems?: number;
	maxItems?: number;
	items?: JsonSchema;
	properties?: Record<string, JsonSchema>;
	required?: string[];
	/** Of an object with keys of the client's own */
	additionalProperties?: JsonSchema;
	propertyNames?: JsonSchema;
	maxProperties?: number;
	anyOf?: JsonSchema[];
	description?: string;
	examples?: unknown[];
}

export function jsonSchema(schema: TSchema): JsonSchema {
	return schema as JsonSchema;
}

/** What a value may be where it is not null, and whether it may be null. */
export function withoutNull(schema: JsonSchema): { schema: JsonSchema; nullable: boolean } {
	const others = schema.anyOf?.filter((choice) => choice.type !== 'null');
	if (others === undefined || others.length === schema.anyOf?.length) return { schema, nullable: false };
	return { schema: others.length === 1 ? others[0]! : { anyOf: others }, nullable: true };
}

/** The values of a union of literals, or of a lone one; undefined for any other schema. */
export function literals(schema: JsonSchema): string[] | undefined {
	if (schema.const !== undefined) return [schema.const];
	if (schema.anyOf?.every((choice) => choice.const !== undefined)) return schema.anyOf.map((choice) => choice.const!);
	return undefined;
}

/** Whether a value is what JSON calls an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
