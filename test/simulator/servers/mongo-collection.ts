import { changeOf } from '../../../shared/store/embedded/commit/changes.ts';
import { boundsOf } from '../../../shared/store/embedded/query/bounds.ts';
import { type Document, type Json, type JsonObject, valueAt } from '../../../shared/store/embedded/query/json-value.ts';
import { matcher } from '../../../shared/store/embedded/query/matcher.ts';

export interface Index {
	name: string;
	key: Record<string, 1 | -1>;
	unique?: boolean;
	partialFilterExpression?: JsonObject;
}

export class DuplicateKey extends Error {
	readonly code = 11_000;
	readonly keyPattern: Record<string, 1 | -1>;

	constructor(collection: string, index: Index) {
		super(`E11000 duplicate key error collection: ${collection} index: ${index.name} dup key`);
		this.keyPattern = index.key;
	}
}

type Id = number | string;

/** Ids of documents by value of one field; a missing field and null are one. */
type Entries = Map<Json, Set<Id>>;

/** Who has which key. A partial one has only what its filter is about. */
class UniqueIndex {
	readonly index: Index;
	readonly #isEntered: (document: Document) => boolean;
	readonly #holders = new Map<string, Id>();
	/** All that decides which key a document has */
	readonly #fields: string[];

	constructor(index: Index) {
		this.index = index;
		this.#isEntered = matcher(index.partialFilterExpression ?? {});
		this.#fields = [...Object.keys(index.key), ...Object.keys(index.partialFilterExpression ?? {})].map(topOf);
	}

	/** @param fields that have become others */
	isAbout(fields: ReadonlySet<string>): boolean {
		return this.#fields.some((field) => fields.has(field) || field.startsWith('$'));
	}

	holderOf(document: Document): Id | undefined {
		return this.#isEntered(document) ? this.#holders.get(this.#keyOf(document)) : undefined;
	}

	enter(document: Document): void {
		if (this.#isEntered(document)) this.#holders.set(this.#keyOf(document), document._id as Id);
	}

	leave(document: Document): void {
		if (this.#isEntered(document)) this.#holders.delete(this.#keyOf(document));
	}

	#keyOf(document: Document): string {
		return JSON.stringify(Object.keys(this.index.key).map((field) => valueAt(document, field) ?? null));
	}
}

/** Documents and indexes of one collection, in memory. What matches and how a change is made is the embedded store's. */
export class Collection {
	readonly name: string;
	readonly indexes: Index[] = [{ name: '_id_', key: { _id: 1 } }];
	readonly #documents = new Map<Id, Document>();
	readonly #byField = new Map<string, Entries>();
	#unique: UniqueIndex[] = [];

	constructor(name: string) {
		this.name = name;
	}

	get documents(): Iterable<Document> {
		return this.#documents.values();
	}

	createIndex(index: Index): void {
		if (this.indexes.some(({ name }) => name === index.name)) return;
		this.indexes.push(index);
		const [field] = Object.keys(index.key);
		if (!this.#byField.has(field!)) this.#byField.set(field!, new Map());
		if (index.unique) this.#unique.push(new UniqueIndex(index));
		for (const document of this.#documents.values()) this.#enter(document);
	}

	/** @returns whether it was there */
	dropIndex(name: string): boolean {
		const at = this.indexes.findIndex((index) => index.name === name);
		if (at < 0) return false;
		this.indexes.splice(at, 1);
		this.#unique = this.#unique.filter(({ index }) => index.name !== name);
		return true; // what is found faster by its first field still is
	}

	/** In MongoDB's order where `sort` is given, else in the order of insertion */
	find(filter: JsonObject, sort?: Record<string, number>): Document[] {
		const test = matcher(filter);
		const found: Document[] = [];
		for (const document of this.#candidates(filter)) if (test(document)) found.push(document);
		const fields = Object.entries(sort ?? {});
		if (fields.length > 0) found.sort((one, other) => compare(one, other, fields));
		return found;
	}

	/** Whether it still matches: it may have changed since it was found. */
	matches(document: Document, filter: JsonObject): boolean {
		return this.#documents.get(document._id as Id) === document && matcher(filter)(document);
	}

	/** The document of this one's id as it is now */
	current(document: Document): Document | undefined {
		return this.#documents.get(document._id as Id);
	}

	/** @throws DuplicateKey */
	insert(document: Document): void {
		if (this.#documents.has(document._id as Id)) throw new DuplicateKey(this.name, this.indexes[0]!);
		this.#assertUnique(this.#unique, document, undefined);
		this.#documents.set(document._id as Id, document);
		this.#enter(document);
	}

	/** @returns what it has become; the same object where nothing changed. @throws DuplicateKey */
	update(document: Document, update: JsonObject): Document {
		const changed = changedBy(document, update);
		const fields = differences(document, changed);
		if (fields.size === 0) return document;
		const id = document._id as Id;
		const unique = this.#unique.filter((each) => each.isAbout(fields));
		this.#assertUnique(unique, changed, id);
		this.#documents.set(id, changed);
		for (const [field, entries] of this.#byField) {
			if (!fields.has(topOf(field))) continue;
			removeFrom(entries, valueAt(document, field) ?? null, id);
			addTo(entries, valueAt(changed, field) ?? null, id);
		}
		for (const each of unique) each.leave(document);
		for (const each of unique) each.enter(changed);
		return changed;
	}

	delete(document: Document): void {
		this.#leave(document);
		this.#documents.delete(document._id as Id);
	}

	#candidates(filter: JsonObject): Iterable<Document> {
		const { paths } = boundsOf(filter);
		const ids = paths.get('_id')?.equal;
		if (ids) return ids.map((id) => this.#documents.get(id as Id)).filter((each) => each !== undefined);
		let best: Set<Id>[] | undefined;
		let least = Number.POSITIVE_INFINITY;
		for (const [field, entries] of this.#byField) {
			const equal = paths.get(field)?.equal;
			if (equal === undefined) continue;
			const parts = equal.flatMap((value) => entries.get(value) ?? []);
			const size = parts.reduce((sum, part) => sum + part.size, 0);
			if (size < least) [best, least] = [parts, size];
		}
		if (best === undefined) return this.#documents.values();
		return best.flatMap((part) => Array.from(part, (id) => this.#documents.get(id)!));
	}

	#assertUnique(indexes: readonly UniqueIndex[], document: Document, own: Id | undefined): void {
		for (const unique of indexes) {
			const holder = unique.holderOf(document);
			if (holder !== undefined && holder !== own) throw new DuplicateKey(this.name, unique.index);
		}
	}

	#enter(document: Document): void {
		for (const [field, entries] of this.#byField) addTo(entries, valueAt(document, field) ?? null, document._id as Id);
		for (const unique of this.#unique) unique.enter(document);
	}

	#leave(document: Document): void {
		for (const [field, entries] of this.#byField) {
			removeFrom(entries, valueAt(document, field) ?? null, document._id as Id);
		}
		for (const unique of this.#unique) unique.leave(document);
	}
}

function addTo(entries: Entries, value: Json, id: Id): void {
	const part = entries.get(value);
	if (part === undefined) entries.set(value, new Set([id]));
	else part.add(id);
}

function removeFrom(entries: Entries, value: Json, id: Id): void {
	const part = entries.get(value);
	part?.delete(id);
	if (part?.size === 0) entries.delete(value);
}

/** The first name of a path */
function topOf(path: string): string {
	const dot = path.indexOf('.');
	return dot < 0 ? path : path.slice(0, dot);
}

/** Another document; parts that stay as they are may be of both, for none is ever changed in place. */
function changedBy(document: Document, update: JsonObject): Document {
	const change = changeOf(update);
	if (change.sets) return { ...document, ...Object.fromEntries(change.sets) } as Document;
	const changed = JSON.parse(JSON.stringify(document)) as Document;
	change.apply(changed);
	return changed;
}

/** Names of fields that are not the same in both */
function differences(one: Document, other: Document): Set<string> {
	const names = new Set([...Object.keys(one), ...Object.keys(other)]);
	for (const name of names) if (isSame(one[name], other[name])) names.delete(name);
	return names;
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
	if (one === other) return true;
	return typeof one === 'object' && typeof other === 'object' && JSON.stringify(one) === JSON.stringify(other);
}

/** MongoDB's order of types, as far as they occur: null, numbers, texts, others */
function rank(value: Json): number {
	if (value === null) return 0;
	if (typeof value === 'number') return 1;
	return typeof value === 'string' ? 2 : 3;
}

function compare(one: Document, other: Document, fields: [string, number][]): number {
	for (const [field, direction] of fields) {
		const a = valueAt(one, field) ?? null;
		const b = valueAt(other, field) ?? null;
		const difference = rank(a) - rank(b) || (a === b ? 0 : (a as number) < (b as number) ? -1 : 1);
		if (difference !== 0) return difference * direction;
	}
	return 0;
}
