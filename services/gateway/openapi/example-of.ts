import { type JsonSchema, literals } from '../validation/json-schema.ts';

/**
 * A parameter's example. One that is optional is not filled in by the reference's try-it-out, which this is told by
 * `x-disabled`: an Idempotency-Key that everybody sends would replay the first one's answer.
 */
export function exampleOf(schema: JsonSchema, required: boolean): Record<string, unknown> {
	const value = exampleValue(schema);
	if (value === undefined) return {};
	return { examples: { default: { value, ...(!required && { 'x-disabled': true }) } } };
}

/** Where the schema has no example, the first of its choices. */
function exampleValue(schema: JsonSchema): unknown {
	const { type, examples, items, minimum } = schema;
	if (examples !== undefined) return examples[0];
	if (type === 'array') return [exampleValue(items!)];
	if (type === 'boolean') return true;
	return literals(schema)?.[0] ?? minimum;
}
