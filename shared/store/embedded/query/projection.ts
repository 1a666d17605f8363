import { Query } from 'mingo/query';
import type { Document, JsonObject } from './json-value.ts';

const everything = new Query({}, {});

/** What a query's `projection` leaves of a document; the fields stay in their order. */
export function projector(projection: unknown): (document: Document) => Document {
	if (typeof projection !== 'object' || projection === null) return (document) => document;
	const { _id: id, ...fields } = projection as Record<string, unknown>;
	const paths = new Set(Object.keys(fields));
	if (paths.size === 0 && id === undefined) return (document) => document;
	const including = paths.size > 0 ? isTrue(Object.values(fields)[0]) : isTrue(id);
	const simple = [...paths].every((path) => !path.includes('.') && typeof fields[path] !== 'object');
	if (!simple || !Object.values(fields).every((value) => isTrue(value) === including)) return byMingo(projection);
	if (id === undefined ? including : isTrue(id) === including) paths.add('_id');
	return (document) => pick(document, (key) => paths.has(key) === including);
}

function byMingo(projection: object): (document: Document) => Document {
	return (document) => everything.find<Document>([document], projection as JsonObject).all()[0]!;
}

function pick(document: Document, wanted: (key: string) => boolean): Document {
	const picked: Document = {};
	for (const key in document) if (wanted(key)) picked[key] = document[key]!;
	return picked;
}

function isTrue(value: unknown): boolean {
	return value === 1 || value === true;
}
