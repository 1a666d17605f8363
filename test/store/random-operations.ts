import fc from 'fast-check';
import { type Thing, thing } from './thing.ts';

/** One operation of the kinds that the models use. */
export type Operation =
	| { kind: 'find'; filter: object; sort: Record<string, 1 | -1>; skip: number; limit: number; projection?: object }
	| { kind: 'count'; filter: object; limit: number }
	| { kind: 'group'; filter: object; by: string }
	| { kind: 'updateOne'; _id: number; filter: object; update: object }
	| { kind: 'updateMany'; filter: object; update: object }
	| { kind: 'findOneAndUpdate'; filter: object; sort: Record<string, 1 | -1>; update: object; after: boolean }
	| { kind: 'deleteOne'; _id: number; filter: object }
	| { kind: 'deleteMany'; filter: object }
	| { kind: 'insertMany'; documents: Thing[] };

export interface Story {
	documents: Thing[];
	operations: Operation[];
}

const names = ['', 'a', 'A', 'b', 'ab', 'a b', 'z~'];
const emails = ['a@x.io', 'b@x.io', 'c@y.io'];
const numbers = [-2, -1.5, 0, 1, 2, 2.5, 7, 4_294_967_296];
const accounts = ['acc_1', 'acc_2', 'acc_3'];
const tags = ['a', 'b', 'c'];
const eventIds = ['e1', 'e2', 'e3'];
const _ids = Array.from({ length: 16 }, (_, index) => index + 1);

const orNull = <T>(values: T[]) => fc.constantFrom<T | null>(...values, null);
const level = fc.constantFrom(...numbers);
const event = fc.record({ id: fc.constantFrom(...eventIds), n: fc.constantFrom(1, 2, 3) });
const someTags = fc.array(fc.constantFrom(...tags), { maxLength: 4 });

const person = fc.record({ email: orNull(emails), level }, { requiredKeys: [] });

/** Fields that may be missing; a missing one is not null. */
const fields = fc.record(
	{
		account_id: fc.constantFrom(...accounts),
		name: orNull(names),
		rank: orNull(numbers),
		active: orNull([true, false]),
		person,
		tags: someTags,
		events: fc.array(event, { maxLength: 3 }),
	},
	{ requiredKeys: ['account_id'] },
);

const documents = fc
	.uniqueArray(fc.constantFrom(..._ids), { maxLength: 14 })
	.chain((chosen) => fc.tuple(...chosen.map((_id) => fields.map((rest) => thing(_id, rest as Partial<Thing>)))));

/** What may be asked of a field that holds these values. */
function conditions<T>(values: T[], ranges: boolean): fc.Arbitrary<unknown> {
	const value = fc.constantFrom(...values);
	const list = fc.array(orNull(values), { maxLength: 4 });
	const range = fc.record({ $gt: value, $gte: value, $lt: value, $lte: value }, { requiredKeys: [] });
	const operators = [
		orNull(values),
		fc.record({ $ne: orNull(values) }),
		fc.record({ $eq: orNull(values) }),
		fc.record({ $in: list }),
		fc.record({ $nin: list }),
		fc.record({ $exists: fc.boolean() }),
		fc.record({ $in: list, $ne: value }),
	];
	const asked = range.filter((limits) => Object.keys(limits).length > 0);
	return fc.oneof(...operators, ...(ranges ? [asked, asked, fc.record({ $not: asked })] : []));
}

const clauses = {
	_id: fc.oneof(fc.constantFrom(..._ids), fc.record({ $in: fc.array(fc.constantFrom(..._ids), { maxLength: 6 }) })),
	account_id: fc.oneof(fc.constantFrom(...accounts), fc.record({ $in: fc.subarray(accounts) })),
	key: fc.constantFrom(..._ids).map((_id) => `k${_id}`),
	sequence: conditions(['s1', 's2', 's3', 's9'], true),
	name: conditions(names, true),
	rank: conditions(numbers, true),
	active: conditions([true, false], false),
	'person.email': conditions(emails, true),
	'person.level': conditions(numbers, true),
	tags: conditions(tags, false),
	'events.id': conditions(eventIds, false),
	'events.n': conditions([1, 2, 3], true),
	events: fc.record({ $elemMatch: event }),
	version: fc.constantFrom(1, 2, 3),
};

const flat = fc
	.subarray(Object.keys(clauses) as (keyof typeof clauses)[], { maxLength: 3 })
	.chain((chosen) => fc.record(Object.fromEntries(chosen.map((path) => [path, clauses[path]]))));

const filters: fc.Arbitrary<object> = fc.oneof(
	{ weight: 6, arbitrary: flat },
	{ weight: 1, arbitrary: fc.record({ $or: fc.array(flat, { minLength: 1, maxLength: 3 }) }) },
	{ weight: 1, arbitrary: fc.record({ $and: fc.array(flat, { minLength: 1, maxLength: 3 }) }) },
	{ weight: 1, arbitrary: fc.tuple(flat, flat).map(([one, other]) => ({ ...one, $or: [other, { rank: null }] })) },
);

/** `_id` last, so that the order is one that every store gives. */
const sorts = fc
	.tuple(
		fc.subarray(['account_id', 'name', 'rank', 'active', 'person.level', 'version'], { maxLength: 2 }),
		fc.array(fc.constantFrom<1 | -1>(1, -1), { minLength: 3, maxLength: 3 }),
	)
	.map(([paths, directions]) => Object.fromEntries([...paths, '_id'].map((path, at) => [path, directions[at]!])));

/** Servers differ in whether a push of nothing makes a list where there is none. */
const isPushed = ($each: unknown[]): boolean => $each.length > 0;

/** Each is one change of one field; some do not fit some documents, and then every store refuses them. */
const changes: fc.Arbitrary<[string, string, unknown]>[] = [
	orNull(names).map((name) => ['$set', 'name', name]),
	orNull(numbers).map((rank) => ['$set', 'rank', rank]),
	fc.constantFrom(1, -2).map((step) => ['$inc', 'rank', step]),
	orNull([true, false]).map((active) => ['$set', 'active', active]),
	person.map((value) => ['$set', 'person', value]),
	level.map((value) => ['$set', 'person.level', value]),
	fc.constantFrom(1, -1).map((step) => ['$inc', 'person.level', step]),
	fc.constant(['$unset', 'person.email', 1]),
	fc.constantFrom('name', 'rank', 'person', 'tags').map((path) => ['$unset', path, 1]),
	someTags.map((value) => ['$set', 'tags', value]),
	fc.constantFrom(...tags).map((tag) => ['$push', 'tags', tag]),
	someTags.filter(isPushed).map(($each) => ['$push', 'tags', { $each }]),
	fc.constantFrom(...tags).map((tag) => ['$pull', 'tags', tag]),
	fc.subarray(tags).map(($in) => ['$pull', 'tags', { $in }]),
	fc
		.array(event, { maxLength: 2 })
		.filter(isPushed)
		.map(($each) => ['$push', 'events', { $each }]),
	fc.constantFrom(...eventIds).map((id) => ['$pull', 'events', { id }]),
	fc.subarray(eventIds).map((some) => ['$pull', 'events', { id: { $in: some } }]),
	fc.constant(['$set', 'events', []]),
	fc.constant(['$inc', 'version', 1]),
	fc.constantFrom(..._ids).map((_id) => ['$set', 'key', `k${_id}`]),
];

const updates = fc
	.uniqueArray(fc.oneof(...changes), { minLength: 1, maxLength: 4, selector: ([, path]) => path.split('.')[0] })
	.map((chosen) => {
		const update: Record<string, Record<string, unknown>> = {};
		for (const [operator, path, value] of chosen) update[operator] = { ...update[operator], [path]: value };
		return update;
	});

const projections = fc.constantFrom(undefined, undefined, { name: 1 }, { rank: 0, tags: 0 }, { 'person.level': 1 });
const limits = fc.constantFrom(0, 0, 1, 2, 5);
const one = fc.constantFrom(..._ids);

const operations: fc.Arbitrary<Operation> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc.record({
			kind: fc.constant('find' as const),
			filter: filters,
			sort: sorts,
			skip: fc.constantFrom(0, 0, 1, 3),
			limit: limits,
			projection: projections,
		}),
	},
	{ weight: 3, arbitrary: fc.record({ kind: fc.constant('count' as const), filter: filters, limit: limits }) },
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('group' as const),
			filter: filters,
			by: fc.constantFrom('account_id', 'rank', 'active', 'person.level'),
		}),
	},
	{
		weight: 4,
		arbitrary: fc.record({ kind: fc.constant('updateOne' as const), _id: one, filter: flat, update: updates }),
	},
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant('updateMany' as const), filter: filters, update: updates }) },
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant('findOneAndUpdate' as const),
			filter: filters,
			sort: sorts,
			update: updates,
			after: fc.boolean(),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteOne' as const), _id: one, filter: flat }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteMany' as const), filter: filters }) },
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant('insertMany' as const), documents }) },
);

/** Operations of a story. */
export const operationsPerStory = 10;

export const stories: fc.Arbitrary<Story> = fc.record({
	documents,
	operations: fc.array(operations, { minLength: operationsPerStory, maxLength: operationsPerStory }),
});
