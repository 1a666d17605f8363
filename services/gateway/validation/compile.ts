import FastestValidator from 'fastest-validator';
import type { FaultCode } from '../../../shared/contract/errors.ts';
import type { Faults } from './faults.ts';
import { type Format, formatOf } from './formats.ts';
import { isObject, type JsonSchema, literals, withoutNull } from './json-schema.ts';

/** Adds to `faults` what is wrong with `values`. */
export type Check = (values: Record<string, unknown>, faults: Faults) => void;

interface Violation {
	type: string;
	field: string;
	actual?: unknown;
	/** Of a key of the client's own; of other fields the schema tells it */
	wanted?: string;
}

// Its types describe an ES module, but it is a CommonJS one.
const Validator = FastestValidator as unknown as typeof FastestValidator.default;

const validator = new Validator({
	useNewCustomCheckerFunction: true,
	considerNullAsAValue: true, // else null would pass for every optional field
	haltOnFirstError: false,
	messages: silent(), // the texts come from the schema, see below
});

type CompiledCheck = (values: unknown) => true | Violation[];

/** A check of a schema, which is an object's. It is compiled when it is first asked: the start of a process does not wait for all. */
export function compile(schema: JsonSchema): Check {
	const expectations: Expectations = new Map();
	const rules = rulesOf(schema, expectations);
	let check: CompiledCheck | undefined;
	return (values, faults) => {
		check ??= validator.compile(rules) as CompiledCheck;
		const violations = check(values);
		if (violations === true) return;
		for (const { type, field, actual, wanted } of violations) {
			const expected = wanted ?? expectations.get(field.replace(/\[\d+\]/g, '[]'));
			const isMissing = type === 'required' && actual === undefined;
			if (isMissing) faults.add(field, 'required', `is required and must be ${expected}`);
			else faults.add(field, codes[type] ?? 'wrong_type', `must be ${expected}`);
		}
	};
}

/** What a violation is called outside; any other is a wrong type. */
const codes: Record<string, FaultCode> = {
	wrong_format: 'wrong_format',
	wrong_length: 'wrong_length',
	numberMin: 'out_of_range',
	numberMax: 'out_of_range',
	arrayMin: 'wrong_length',
	arrayMax: 'wrong_length',
	enumValue: 'not_one_of',
};

/** Empty texts for all of its messages: it would build each one with the client's value in it. */
function silent(): Record<string, string> {
	return Object.fromEntries(Object.keys(new Validator().messages).map((name) => [name, '']));
}

/** What is expected of each field, by its path: `page_size`, `time_slots[].day_of_week`. To be read after "must be". */
type Expectations = Map<string, string>;

/** A rule of fastest-validator. */
export type Rule = Record<string, unknown>;

/**
 * Turns a schema into rules of fastest-validator, with nothing left to its defaults: it does not convert, it does not
 * take null for a missing value, and every string is judged by our own checks (its e-mail rule is a ReDoS, its lengths
 * count UTF-16 units).
 */
function rulesOf(schema: JsonSchema, expectations: Expectations, path = ''): Record<string, Rule> {
	const rules: Record<string, Rule> = {};
	for (const [name, property] of Object.entries(schema.properties ?? {})) {
		const field = path === '' ? name : `${path}.${name}`;
		rules[name] = ruleOf(property, !schema.required?.includes(name), expectations, field);
	}
	return rules;
}

function ruleOf(schema: JsonSchema, optional: boolean, expectations: Expectations, field: string): Rule {
	const { schema: inner, nullable } = withoutNull(schema);
	const { expected, ...rule } = typeRule(inner, expectations, field);
	expectations.set(field, nullable ? `${expected}, or null` : expected);
	return { ...rule, optional, nullable };
}

function typeRule(schema: JsonSchema, expectations: Expectations, field: string): Rule & { expected: string } {
	const values = literals(schema);
	if (values !== undefined) return { type: 'enum', values, expected: `one of ${values.join(', ')}` };
	switch (schema.type) {
		case 'integer':
			return { type: 'number', integer: true, min: schema.minimum, max: schema.maximum, expected: integer(schema) };
		case 'boolean':
			return { type: 'boolean', expected: 'true or false' };
		case 'string': {
			const format = formatOf(schema);
			return { type: 'custom', check: stringCheck(format), expected: format.expected };
		}
		case 'array': {
			const items = ruleOf(schema.items!, false, expectations, `${field}[]`);
			const expected = `an array of ${count(schema)}`;
			return { type: 'array', min: schema.minItems, max: schema.maxItems, items, expected };
		}
		case 'object':
			if (schema.additionalProperties !== undefined) return mapRule(schema);
			return { type: 'object', properties: rulesOf(schema, expectations, field), expected: 'an object' };
		default:
			throw new Error(`no rule for the schema of "${field}"`);
	}
}

function stringCheck(format: Format) {
	return (value: unknown, errors: { type: string }[]): unknown => {
		const type = wrongIn(value, format);
		if (type !== undefined) errors.push({ type });
		return value;
	};
}

/** What is wrong with a text; undefined: nothing. */
function wrongIn(value: unknown, { hasLength, accepts }: Format): string | undefined {
	if (typeof value !== 'string') return 'string';
	if (!hasLength(value)) return 'wrong_length';
	return accepts(value) ? undefined : 'wrong_format';
}

/** An object with keys of the client's own: each one that is wrong is told by its name. */
function mapRule({ additionalProperties, propertyNames, maxProperties }: JsonSchema): Rule & { expected: string } {
	const { schema, nullable } = withoutNull(additionalProperties!);
	const [ofKeys, ofTexts] = [formatOf(propertyNames!), formatOf(schema)];
	const expectedKey = `under a key that is ${ofKeys.expected}`;
	const expectedText = nullable ? `${ofTexts.expected}, or null` : ofTexts.expected;
	const check = (values: unknown, errors: (Partial<Violation> & { type: string })[], _: unknown, path: string) => {
		if (!isObject(values)) {
			errors.push({ type: 'object' });
			return values;
		}
		const entries = Object.entries(values);
		if (entries.length > (maxProperties ?? entries.length)) errors.push({ type: 'wrong_length' });
		for (const [key, text] of entries) {
			const field = `${path}.${key}`;
			const wrongKey = wrongIn(key, ofKeys);
			if (wrongKey !== undefined) errors.push({ type: wrongKey, field, wanted: expectedKey });
			const wrongText = text === null && nullable ? undefined : wrongIn(text, ofTexts);
			if (wrongText !== undefined) errors.push({ type: wrongText, field, wanted: expectedText });
		}
		return values;
	};
	const expected = maxProperties === undefined ? 'an object' : `an object of at most ${maxProperties} keys`;
	return { type: 'custom', check, expected };
}

function integer({ minimum, maximum }: JsonSchema): string {
	return `an integer from ${minimum} to ${maximum}`;
}

function count({ minItems = 0, maxItems }: JsonSchema): string {
	if (maxItems === undefined) return 'items';
	return minItems > 0 ? `${minItems} to ${maxItems} items` : `at most ${maxItems} items`;
}
