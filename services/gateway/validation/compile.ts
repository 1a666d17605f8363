import FastestValidator from 'fastest-validator';
import type { Faults } from './faults.ts';
import type { JsonSchema } from './json-schema.ts';
import { type Expectations, rulesOf } from './rules.ts';

/** Adds to `faults` what is wrong with `values`. */
export type Check = (values: Record<string, unknown>, faults: Faults) => void;

interface Violation {
	type: string;
	field: string;
	actual?: unknown;
}

// Its types describe an ES module, but it is a CommonJS one.
const Validator = FastestValidator as unknown as typeof FastestValidator.default;

const validator = new Validator({
	useNewCustomCheckerFunction: true,
	considerNullAsAValue: true, // else null would pass for every optional field
	haltOnFirstError: false,
	messages: silent(), // the texts come from the schema, see below
});

/** Compiles a schema into a check, once per operation; the schema is an object's. */
export function compile(schema: JsonSchema): Check {
	const expectations: Expectations = new Map();
	const check = validator.compile(rulesOf(schema, expectations)) as (values: unknown) => true | Violation[];
	return (values, faults) => {
		const violations = check(values);
		if (violations === true) return;
		for (const { type, field, actual } of violations) {
			const expected = expectations.get(field.replace(/\[\d+\]/g, '[]'));
			const isMissing = type === 'required' && actual === undefined;
			faults.add(field, isMissing ? `is required and must be ${expected}` : `must be ${expected}`);
		}
	};
}

/** Empty texts for all of its messages: it would build each one with the client's value in it. */
function silent(): Record<string, string> {
	return Object.fromEntries(Object.keys(new Validator().messages).map((name) => [name, '']));
}
