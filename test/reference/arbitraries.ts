import fc, { type Arbitrary } from 'fast-check';
import { type Document, type Reference, resolved, type Schema } from './document.ts';

/** What a random value is likely to be, by the name of its field or parameter: ids and dates that exist. */
export type Known = Record<string, readonly unknown[]>;

/** Whether nothing but the known values is sent: others would wait for half a minute, or reach somebody else's host. */
export function isOnlyKnown(name: string): boolean {
	return name === 'wait' || name === 'url';
}

/** What no field takes, or hardly any. */
export const JUNK = fc.oneof(
	fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2 ** 53, 1e308, '', ' ', '\u0000', '2026-02-30', 'null', [], {}, [
		[],
	]),
	fc.constantFrom<unknown>('x'.repeat(1001), '💩'.repeat(300), '+0', 'a@b', '9'.repeat(20), "' OR 1=1", '../..', '%00'),
	fc.jsonValue({ maxDepth: 2 }),
);

/** Values that a schema takes, as far as it can tell. */
export function valid(document: Document, known: Known, schema: Schema, name = ''): Arbitrary<unknown> {
	const {
		anyOf,
		items,
		properties,
		required = [],
	} = resolved(document, schema as Schema | Reference) as Schema & {
		anyOf?: Schema[];
		items?: Schema;
		properties?: Record<string, Schema>;
		required?: string[];
	};
	if (known[name] !== undefined) {
		const usual = fc.constantFrom(...known[name]);
		return isScalar(schema) && !isOnlyKnown(name)
			? fc.oneof({ arbitrary: usual, weight: 6 }, { arbitrary: scalar(schema), weight: 1 })
			: usual;
	}
	if (anyOf !== undefined) return fc.oneof(...anyOf.map((one) => valid(document, known, one, name)));
	if (items !== undefined) {
		const { minItems = 0, maxItems = 3 } = schema as { minItems?: number; maxItems?: number };
		return fc.array(valid(document, known, items, `${name}[]`), {
			minLength: minItems,
			maxLength: Math.min(3, maxItems),
		});
	}
	if (properties !== undefined) {
		const fields = Object.entries(properties).map(([field, property]) => {
			const path = name.endsWith('[]') ? `${name}.${field}` : field;
			return [field, valid(document, known, property, known[path] === undefined ? field : path)] as const;
		});
		return fc.record(Object.fromEntries(fields), { requiredKeys: required });
	}
	return scalar(resolved(document, schema as Schema | Reference));
}

/** Nearly valid ones: a field is junk, too many, or missing. */
export function nearlyValid(value: Arbitrary<unknown>): Arbitrary<unknown> {
	return fc
		.tuple(value, fc.nat(), JUNK, fc.constantFrom('junk', 'missing', 'unknown', 'all'))
		.map(([original, number, junk, kind]) => {
			if (typeof original !== 'object' || original === null || Array.isArray(original)) return junk;
			const names = Object.keys(original);
			const name = names[number % names.length];
			if (kind === 'all') return junk;
			if (kind === 'unknown' || name === undefined) return { ...original, [`field_${number % 9}`]: junk };
			const { [name]: _, ...rest } = original as Record<string, unknown>;
			return kind === 'missing' ? rest : { ...rest, [name]: junk };
		});
}

function isScalar(schema: Schema): boolean {
	return ['integer', 'string', 'boolean'].includes(schema.type as string);
}

function scalar(schema: Schema): Arbitrary<unknown> {
	const {
		type,
		format,
		pattern,
		enum: choices,
		examples,
	} = schema as Schema & {
		enum?: unknown[];
		examples?: unknown[];
		pattern?: string;
	};
	if (choices !== undefined) return fc.constantFrom(...choices);
	if (schema.const !== undefined) return fc.constant(schema.const);
	if (type === 'null') return fc.constant(null);
	if (type === 'boolean') return fc.boolean();
	if (type === 'integer') {
		const { minimum: min = -5, maximum = Number.MAX_SAFE_INTEGER } = schema as { minimum?: number; maximum?: number };
		const max = Math.max(min, maximum);
		return fc.oneof(fc.integer({ min, max: Math.min(max, min + 30) }), fc.constantFrom(min, max));
	}
	if (format === 'date-time') return fc.constantFrom('2026-11-21T09:30:00.000Z', new Date().toISOString());
	if (format === 'email') return fc.emailAddress();
	if (format === 'date') return fc.constantFrom('2026-11-23', '2028-02-29', '0001-01-01', '9999-12-31');
	if (pattern !== undefined || examples !== undefined)
		return fc.oneof(fc.constantFrom(...(examples ?? [''])), text(schema));
	return text(schema);
}

/** Lengths count code points, as the API's do. */
function text(schema: Schema): Arbitrary<string> {
	const { minLength = 0, maxLength = 40 } = schema as { minLength?: number; maxLength?: number };
	const length = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)) };
	const usual = fc.string({ unit: 'grapheme', ...length, maxLength: Math.max(minLength, 8) });
	return fc.oneof({ arbitrary: usual, weight: 5 }, { arbitrary: fc.string({ unit: 'binary', ...length }), weight: 1 });
}
