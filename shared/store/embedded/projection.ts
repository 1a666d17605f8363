import { Query } from 'mingo';
import type { Document, JsonObject } from './json-value.ts';

const everything = new Query({}, {});

/** What a query's `projection` leaves of a document. */
export function projector(projection: unknown): (document: Document) => Document {
	if (typeof projection !== 'object' || projection === null || Object.keys(projection).length === 0) {
		return (document) => document;
	}
	return (document) => everything.find<Document>([document], projection as JsonObject).all()[0]!;
}
