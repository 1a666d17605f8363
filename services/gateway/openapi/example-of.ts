import type { JsonSchema } from '../validation/json-schema.ts';

/**
 * A parameter's example. One that is optional is not filled in by the reference's try-it-out, which this is told by
 * `x-disabled`: an Idempotency-Key that everybody sends would replay the first one's answer.
 */
export function exampleOf({ examples }: Pick<JsonSchema, 'examples'>, required: boolean): Record<string, unknown> {
	if (examples === undefined) return {};
	return { examples: { default: { value: examples[0], ...(!required && { 'x-disabled': true }) } } };
}
