import { bulkWriteErrors } from '../../shared/store/write-errors.ts';
import type { Operation, Story } from './random-operations.ts';
import { fill, type Thing, type ThingModel } from './thing.ts';

/** What one operation answered, and all documents after it where it may have changed some. */
export interface Seen {
	answer: unknown;
	documents: Thing[];
}

/** Plays a story on a model that is emptied first. It ends at a refused updateMany: how far that came may differ. */
export async function play(things: ThingModel, story: Story): Promise<Seen[]> {
	await fill(things, story.documents);
	const seen: Seen[] = [];
	for (const operation of story.operations) {
		const answer = await act(things, operation).catch(refusal);
		const ended = endsStory(operation, answer);
		const documents = ended || isRead(operation) ? [] : await things.find({}).sort({ _id: 1 }).lean<Thing[]>();
		seen.push({ answer, documents });
		if (ended) break;
	}
	return comparable(seen);
}

export function isRead({ kind }: Operation): boolean {
	return kind === 'find' || kind === 'count' || kind === 'group';
}

export function endsStory({ kind }: Operation, answer: unknown): boolean {
	return kind === 'updateMany' && typeof answer === 'object' && answer !== null && 'refused' in answer;
}

/** The order of fields is not compared. */
export function comparable(seen: Seen[]): Seen[] {
	return seen.map((each) => sortKeys(each) as Seen);
}

async function act(things: ThingModel, operation: Operation): Promise<unknown> {
	switch (operation.kind) {
		case 'find': {
			const { filter, sort, skip, limit, projection } = operation;
			const query = things.find(filter, projection).sort(sort).skip(skip);
			return limit > 0 ? query.limit(limit).lean() : query.lean();
		}
		case 'count': {
			const query = things.countDocuments(operation.filter);
			return operation.limit > 0 ? query.limit(operation.limit) : query;
		}
		case 'group': {
			const group = { $group: { _id: `$${operation.by}`, count: { $sum: 1 } } } as const;
			const rows = await things.aggregate<{ _id: unknown }>([{ $match: castFilter(things, operation.filter) }, group]);
			return rows.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
		}
		case 'updateOne':
			return counts(await things.updateOne({ $and: [{ _id: operation._id }, operation.filter] }, operation.update));
		case 'updateMany':
			return counts(await things.updateMany(operation.filter, operation.update));
		case 'findOneAndUpdate': {
			const { filter, sort, update, after } = operation;
			const options = { sort, returnDocument: after ? ('after' as const) : ('before' as const) };
			return things.findOneAndUpdate(filter, update, options).lean();
		}
		case 'deleteOne':
			return counts(await things.deleteOne({ $and: [{ _id: operation._id }, operation.filter] }));
		case 'deleteMany':
			return counts(await things.deleteMany(operation.filter));
		case 'insertMany': {
			const documents = structuredClone(operation.documents);
			return (await things.insertMany(documents, { ordered: false, lean: true })).length;
		}
	}
}

/** Aggregates are not cast by mongoose. */
function castFilter(things: ThingModel, filter: object): object {
	return things.find(filter).cast(things, structuredClone(filter)) as object;
}

function counts(result: object): object {
	const { matchedCount, modifiedCount, deletedCount } = result as Record<string, number>;
	return { matchedCount, modifiedCount, deletedCount };
}

/** A refusal is the same by its kind; texts and codes differ between servers. */
function refusal(error: unknown): object {
	return { refused: bulkWriteErrors(error) ?? true };
}

function sortKeys(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sortKeys);
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value).filter(([, field]) => field !== undefined);
	return Object.fromEntries(
		entries.sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, field]) => [key, sortKeys(field)]),
	);
}
