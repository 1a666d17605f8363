import type { Aggregate, Query, Schema } from 'mongoose';
import type { Scoped } from '../contract/actions.ts';

declare module 'mongoose' {
	interface QueryOptions {
		/** The one exception to `accountScope`, for sweeps, the relay and the audit: the query is about every account. */
		everyAccount?: boolean;
	}
}

const queries = [
	'find',
	'findOne',
	'countDocuments',
	'distinct',
	'estimatedDocumentCount',
	'updateOne',
	'updateMany',
	'replaceOne',
	'deleteOne',
	'deleteMany',
	'findOneAndUpdate',
	'findOneAndDelete',
	'findOneAndReplace',
] as const;

/**
 * A mongoose plugin for collections whose documents belong to an account (promise A5): a query, update, delete or count
 * whose filter does not name its account, and an insert of a document without one, throws before it reaches the store.
 * Queries and aggregates with the option `{ everyAccount: true }` are let through.
 */
export function accountScope(schema: Schema): void {
	schema.pre([...queries], { query: true, document: false }, function (this: Query<unknown, unknown>) {
		if (!isExempt(this.getOptions())) assertScoped(this.getFilter(), describe(this));
	});
	schema.pre('aggregate', function (this: Aggregate<unknown>) {
		if (isExempt(this.options)) return;
		const [first] = this.pipeline();
		const match = first && '$match' in first ? (first.$match as Record<string, unknown>) : {};
		if (!isAccount(match.account_id)) throw new Error('aggregate does not begin with a $match of an account_id');
	});
	schema.pre('insertMany', (documents: unknown) => {
		for (const document of [documents].flat()) assertOwned(document);
	});
	schema.pre('save', function () {
		assertOwned(this);
	});
	schema.pre('bulkWrite', () => {
		throw new Error('bulkWrite cannot be limited to one account');
	});
}

/** @throws Error where a filter does not name its account */
export function assertScoped(filter: object, operation: string): void {
	const { account_id } = filter as { account_id?: unknown };
	if (!isAccount(account_id)) throw new Error(`${operation} has no account_id in its filter`);
}

/** The option is ours: it is taken out before the driver sees it. */
function isExempt(options: object): boolean {
	const exempt = 'everyAccount' in options && options.everyAccount === true;
	delete (options as { everyAccount?: boolean }).everyAccount;
	return exempt;
}

function assertOwned(document: unknown): void {
	const { account_id } = (document ?? {}) as { account_id?: unknown };
	if (typeof account_id === 'object' || !isAccount(account_id)) {
		throw new Error('insert of a document without account_id');
	}
}

/** An account, or a list of them for a batch of several accounts' requests; any other operator could mean every account. */
function isAccount(value: unknown): boolean {
	if (typeof value === 'object' && value !== null && Object.keys(value).join() === '$in') {
		const accounts = (value as { $in: unknown }).$in;
		return Array.isArray(accounts) && accounts.length > 0 && accounts.every((account) => isAccount(account));
	}
	return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

function describe(query: Query<unknown, unknown>): string {
	return `${query.model.collection.name}.${(query as unknown as { op: string }).op}`;
}

/** One of these values, each named once. Most batches have a single one: that one makes no set. */
export function among<T>(values: T[]): { $in: T[] } {
	return { $in: values.length === 1 ? values : [...new Set(values)] };
}

/** Of the accounts that a batch's keys name. Which document is whose is told by `matchOwned`. */
export function ofAccounts(keys: readonly Scoped[]): { account_id: { $in: string[] } } {
	return { account_id: among(keys.map(({ account_id }) => account_id)) };
}
