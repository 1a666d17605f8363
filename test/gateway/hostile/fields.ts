import type { Operation } from '../../../services/gateway/operations/operation.ts';
import { type JsonSchema, jsonSchema, withoutNull } from '../../../services/gateway/validation/json-schema.ts';
import { hostileValues } from './values.ts';

/** A body that is right but for one field. */
export interface HostileField {
	/** As the refusal must name it */
	field: string;
	raw: string;
}

const PLACEHOLDER = '"a hostile value goes here"';

/** Each hostile value in each field that an operation takes, in a body that is right beside it. */
export function hostileFields(operation: Operation, body: unknown): HostileField[] {
	const { schema, limit } = operation.body!;
	return leaves(jsonSchema(schema), []).flatMap(({ steps, schema: leaf }) => {
		const template = JSON.stringify(withPlaceholder(body, steps));
		return hostileValues(leaf, limit).map((value) => ({
			field: steps.findLast((step) => step !== '0')!,
			raw: template.replace(PLACEHOLDER, () => value),
		}));
	});
}

function leaves(schema: JsonSchema, steps: string[]): { steps: string[]; schema: JsonSchema }[] {
	const { schema: inner } = withoutNull(schema);
	if (inner.type === 'object') {
		return Object.entries(inner.properties ?? {}).flatMap(([name, one]) => leaves(one, [...steps, name]));
	}
	const items = inner.type === 'array' ? leaves(inner.items!, [...steps, '0']) : [];
	return [{ steps, schema }, ...items];
}

function withPlaceholder(body: unknown, steps: string[]): unknown {
	const [step, ...rest] = steps;
	if (step === undefined) return JSON.parse(PLACEHOLDER);
	if (step === '0') {
		const [first, ...others] = Array.isArray(body) ? body : [undefined];
		return [withPlaceholder(first, rest), ...others];
	}
	const fields = (body ?? {}) as Record<string, unknown>;
	return { ...fields, [step]: withPlaceholder(fields[step], rest) };
}
