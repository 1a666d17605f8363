import { convertText } from '../validation/convert-text.ts';
import type { Faults } from '../validation/faults.ts';
import type { JsonSchema } from '../validation/json-schema.ts';

/**
 * The parameters of a query that the schema knows, converted. Each comes once; an unknown one is a fault, for a filter
 * that is silently ignored returns wrong data (contract §1).
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
			faults.add('query', 'must be percent-encoded UTF-8');
		} else if (!Object.hasOwn(properties, name)) {
			faults.add(name, 'is not a known query parameter');
		} else if (Object.hasOwn(values, name)) {
			faults.add(name, 'must be given once');
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
