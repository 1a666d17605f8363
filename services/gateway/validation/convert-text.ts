import { type JsonSchema, literals } from './json-schema.ts';

// No sign, no leading zero, no exponent, no blanks: a number has one spelling.
const INTEGER = /^(?:0|[1-9][0-9]{0,15})$/;

/** A parameter's text as the value that its schema asks for; where it is none, the text itself, which the check refuses. */
export function convertText(text: string, schema: JsonSchema): unknown {
	if (schema.type === 'integer') return INTEGER.test(text) ? Number(text) : text;
	if (schema.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
	if (schema.type === 'array') return text.split(',');
	if (schema.type === 'string' || literals(schema) !== undefined) return text;
	throw new Error('a parameter must be an integer, a boolean, a text or a list of texts');
}
