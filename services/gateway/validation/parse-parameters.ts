import type { Faults } from './faults.ts';
import { type JsonSchema, literals } from './json-schema.ts';

/**
 * The parameters of a query that the schema knows, converted. Each comes once. An unknown one is a fault: a
 * filter that is silently ignored would return wrong data (contract §1).
 */
export function parseQuery(query: string, schema: JsonSchema, faults: Faults): Record<string, unknown> {
	const values: Record<string, unknown> = {};
	if (query === '') return values;
	const properties = schema.properties ?? {};
	for (const part of query.split('&')) {
		if (part === '') continue;
		const mark = part.indexOf('=');
		const name = decode(mark === -1 ? part : part.slice(0, mark));
		const text = decode(mark === -1 ? '' : part.slice(mark + 1));
		if (name === undefined || text === undefined) {
			faults.add('query', 'wrong_format', 'must be percent-encoded UTF-8');
		} else if (!Object.hasOwn(properties, name)) {
			faults.add(name, 'unknown', 'is not a known query parameter');
		} else if (Object.hasOwn(values, name)) {
			faults.add(name, 'repeated', 'must be given once');
		} else {
			values[name] = convertText(text, properties[name]!);
		}
	}
	return values;
}

function decode(text: string): string | undefined {
	if (!text.includes('%') && !text.includes('+')) return text;
	try {
		return decodeURIComponent(text.replaceAll('+', ' '));
	} catch {
		return undefined;
	}
}

// No sign, no leading zero, no exponent, no blanks: a number has one spelling.
const INTEGER = /^(?:0|[1-9][0-9]{0,15})$/;

/** A parameter's text as the value that its schema asks for. If it is no such value, the text itself: the check refuses it. */
export function convertText(text: string, schema: JsonSchema): unknown {
	if (schema.type === 'integer') return INTEGER.test(text) ? Number(text) : text;
	if (schema.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
	if (schema.type === 'array') return text.split(',').map((item) => convertText(item, schema.items!));
	if (schema.type === 'string' || literals(schema) !== undefined) return text;
	throw new Error('a parameter must be an integer, a boolean, a text or a list of them');
}
