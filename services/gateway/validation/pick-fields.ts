import type { Faults } from './faults.ts';
import type { JsonSchema } from './json-schema.ts';
import { withoutNull } from './json-schema.ts';

const { hasOwn, keys } = Object;

/**
 * The fields of `body` that an operation takes. One that only the resource has is left out, so that what was read can
 * be changed and sent back; one that neither has is a fault, so that a typo is not lost (contract §1).
 */
export function pickFields(
	body: Record<string, unknown>,
	taken: JsonSchema,
	resource: JsonSchema,
	faults: Faults,
	path = '',
): Record<string, unknown> {
	const picked: Record<string, unknown> = {};
	for (const name of keys(body)) {
		const field = path === '' ? name : `${path}.${name}`;
		const schema = propertyOf(taken, name);
		if (schema !== undefined) {
			picked[name] = pickItems(body[name], schema, propertyOf(resource, name), faults, field);
		} else if (propertyOf(resource, name) === undefined) {
			faults.add(field, 'is not a known field');
		}
	}
	return picked;
}

/** The same for each object of an array; any other value as it is. */
function pickItems(
	value: unknown,
	taken: JsonSchema,
	resource: JsonSchema | undefined,
	faults: Faults,
	field: string,
): unknown {
	const { items, maxItems = Number.MAX_SAFE_INTEGER } = withoutNull(taken).schema;
	if (items?.properties === undefined || !Array.isArray(value)) return value;
	// One item too many is enough to be refused; a body can hold a hundred thousand.
	return value.slice(0, maxItems + 1).map((item: unknown, index) => {
		if (isObject(item)) return pickFields(item, items, resource?.items ?? {}, faults, `${field}[${index}]`);
		return item ?? false; // fastest-validator names the index of a wrong item, but not of a null
	});
}

function propertyOf(schema: JsonSchema, name: string): JsonSchema | undefined {
	return schema.properties && hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
