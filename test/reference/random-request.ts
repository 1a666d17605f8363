import fc, { type Arbitrary } from 'fast-check';
import { isOnlyKnown, JUNK, type Known, nearlyValid, valid } from './arbitraries.ts';
import { type Described, type Document, type Parameter, resolved } from './document.ts';

export interface RandomRequest {
	method: string;
	/** With its query */
	target: string;
	headers: Record<string, string>;
	body: unknown;
}

/** Visible ASCII: whatever else a header has is not for an API to judge. */
const HEADER = fc.oneof(
	fc.constantFrom('"1"', '*', 'W/"1"', '"1", "2"', '"', 'order-1', 'order-2', '"order-1"', ','),
	fc.string({ unit: 'grapheme-ascii', maxLength: 300 }).map((text) => text.trim()),
);

/** Requests for an operation, of which about half are wrong in one place, by what the document says of it. */
export function randomRequest(document: Document, { method, path, operation }: Described, known: Known) {
	const parameters = operation.parameters.map((parameter) => resolved<Parameter>(document, parameter));
	const inside = (place: Parameter['in']) => parameters.filter((one) => one.in === place);
	const schema = operation.requestBody?.content['application/json']?.schema;
	const good = schema === undefined ? fc.constant(undefined) : valid(document, known, schema);
	const body = schema === undefined ? good : oftener(good, nearlyValid(good));
	return fc
		.record({
			path: values(document, inside('path'), known),
			query: values(document, inside('query'), known),
			headers: oftener(fc.constant({}), values(document, inside('header'), known), 2),
			surplus: oftener(fc.constant({}), fc.constant({ nonsense: '1' })),
			body,
		})
		.map(({ path: ids, query, headers, surplus, body: content }): RandomRequest => {
			const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(ids[name]));
			const search = new URLSearchParams();
			for (const [name, value] of Object.entries({ ...query, ...surplus })) search.append(name, textOf(value));
			const texts = Object.entries(headers).map(([name, value]) => [name, textOf(value)]);
			return { method, target: `${filled}?${search}`, headers: Object.fromEntries(texts), body: content };
		});
}

function values(document: Document, parameters: Parameter[], known: Known): Arbitrary<Record<string, unknown>> {
	const fields = parameters.map((parameter) => {
		const { name, schema } = parameter;
		if (parameter.in === 'header') return [name, HEADER] as const;
		const usual = valid(document, known, schema, name);
		return [name, isOnlyKnown(name) ? usual : oftener(usual, JUNK)] as const;
	});
	const requiredKeys = parameters.filter(({ required }) => required).map(({ name }) => name);
	return fc.record(Object.fromEntries(fields), { requiredKeys });
}

/** Mostly the first one. */
function oftener<T>(usual: Arbitrary<T>, rare: Arbitrary<T>, weight = 8): Arbitrary<T> {
	return fc.oneof({ arbitrary: usual, weight }, { arbitrary: rare, weight: 1 });
}

/** One segment of a path that is never empty, `.` or `..`: those are other paths. */
function segment(value: unknown): string {
	return encodeURIComponent(textOf(value).toWellFormed()).replace(/^\.*$/, '0');
}

/** Of anything: an object may have a `toString` that is no function, or none. */
function textOf(value: unknown): string {
	return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
