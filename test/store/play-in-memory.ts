import { update as applyUpdate, Query } from 'mingo';
import { resolve } from 'mingo/util';
import { comparable, endsStory, isRead, type Seen } from './play.ts';
import type { Operation, Story } from './random-operations.ts';
import type { Thing } from './thing.ts';

/** Plays a story on an array, by mingo alone: no SQL, no index, no mongoose. */
export function playInMemory(story: Story): Seen[] {
	let documents = story.documents.reduce(insert, []).map((document) => clone(document));
	const seen: Seen[] = [];
	for (const operation of story.operations) {
		const [answer, after] = act(documents, operation);
		documents = after;
		const ended = endsStory(operation, answer);
		seen.push({ answer, documents: ended || isRead(operation) ? [] : byId(documents) });
		if (ended) break;
	}
	return comparable(clone(seen));
}

function act(documents: Thing[], operation: Operation): [answer: unknown, after: Thing[]] {
	switch (operation.kind) {
		case 'find': {
			const found = matches(documents, operation.filter, operation.sort);
			const page = found.slice(operation.skip, operation.limit > 0 ? operation.skip + operation.limit : undefined);
			const { projection } = operation;
			return [projection ? new Query({}, {}).find(page, projection).all() : page, documents];
		}
		case 'count': {
			const count = matches(documents, operation.filter).length;
			return [operation.limit > 0 ? Math.min(count, operation.limit) : count, documents];
		}
		case 'group': {
			const counts = new Map<unknown, number>();
			for (const document of matches(documents, operation.filter)) {
				const value = resolve(document as never, operation.by) ?? null;
				counts.set(value, (counts.get(value) ?? 0) + 1);
			}
			const rows = [...counts].map(([_id, count]) => ({ _id, count }));
			return [rows.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)), documents];
		}
		case 'updateOne':
			return change(documents, onlyId(operation), operation.update);
		case 'updateMany':
			return change(documents, matches(documents, operation.filter), operation.update);
		case 'findOneAndUpdate': {
			const [found] = matches(documents, operation.filter, operation.sort);
			if (!found) return [null, documents];
			const [answer, after] = change(documents, [found], operation.update);
			if ('refused' in answer) return [answer, after];
			return [operation.after ? after.find(({ _id }) => _id === found._id) : found, after];
		}
		case 'deleteOne':
		case 'deleteMany': {
			const gone = operation.kind === 'deleteOne' ? onlyId(operation) : matches(documents, operation.filter);
			return [{ deletedCount: gone.length }, documents.filter((document) => !gone.includes(document))];
		}
		case 'insertMany': {
			const after = operation.documents.reduce(insert, documents);
			const refused = operation.documents
				.map((document, index) => ({ index, code: 11_000, document }))
				.filter(({ document }) => !after.includes(document))
				.map(({ index, code }) => ({ index, code }));
			return [refused.length > 0 ? { refused } : operation.documents.length, after];
		}
	}

	function onlyId({ _id, filter }: { _id: number; filter: object }): Thing[] {
		return matches(documents, { $and: [{ _id }, filter] });
	}
}

function change(documents: Thing[], found: Thing[], update: object): [answer: object, after: Thing[]] {
	let modifiedCount = 0;
	let after = documents;
	for (const document of found) {
		const changed = clone(document);
		const steps = (update as { $inc?: { rank?: number } }).$inc?.rank;
		if (steps !== undefined && changed.rank === null) return [{ refused: true }, documents];
		applyUpdate(changed as never, update as never);
		if (JSON.stringify(changed) !== JSON.stringify(document)) modifiedCount++;
		const others = after.filter(({ _id }) => _id !== document._id);
		if (breaks(others, changed)) return [{ refused: true }, documents];
		after = [...others, changed];
	}
	return [{ matchedCount: found.length, modifiedCount }, after];
}

function insert(documents: Thing[], document: Thing): Thing[] {
	return breaks(documents, document) ? documents : [...documents, document];
}

function breaks(documents: Thing[], { _id, key, account_id, sequence }: Thing): boolean {
	return documents.some(
		(other) =>
			other._id === _id || other.key === key || (other.account_id === account_id && other.sequence === sequence),
	);
}

function matches(documents: Thing[], filter: object, sort: Record<string, 1 | -1> = { _id: 1 }): Thing[] {
	const query = new Query(filter, {});
	return documents.filter((document) => query.test(document as never)).sort((one, other) => compare(one, other, sort));
}

/** null and missing first, then the values of a field, which are of one type. */
function compare(one: Thing, other: Thing, sort: Record<string, 1 | -1>): number {
	for (const [path, direction] of Object.entries(sort)) {
		const [left, right] = [one, other].map((document) => resolve(document as never, path) ?? null) as [never, never];
		if (left === right) continue;
		if (left === null || right === null) return left === null ? -direction : direction;
		return left < right ? -direction : direction;
	}
	return 0;
}

function byId(documents: Thing[]): Thing[] {
	return documents.toSorted((one, other) => one._id - other._id);
}

function clone<T>(value: T): T {
	return JSON.parse(JSON.stringify(value)) as T;
}
