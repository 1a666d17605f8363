import type { Event, EventList, EventType, Pagination } from './api.ts';
import * as api from './api.ts';
import type { RequestOpts } from './runtime.ts';
import { type ClientOptions, sender } from './send.ts';

export type CallOptions = Pick<RequestOpts, 'signal' | 'retries'>;

type Api = typeof api;
type Id = { [K in keyof Api]: Api[K] extends (...args: never[]) => unknown ? K : never }[keyof Api];
type Arguments<I extends Id> = Parameters<Api[I]>[0];
type Data<I extends Id> = Awaited<ReturnType<Api[I]>>;

type Call<A, D> = object extends A
	? (args?: A, options?: CallOptions) => Promise<D>
	: (args: A, options?: CallOptions) => Promise<D>;

/** With `dryRun` a change answers what it would mean, which has an `impact`; without, what it made. */
interface CallWithPreview<A, D> {
	(args: A & { dryRun: true }, options?: CallOptions): Promise<Extract<D, { impact: unknown }>>;
	(args: A & { dryRun?: false }, options?: CallOptions): Promise<Exclude<D, { impact: unknown }>>;
}

type Operations = {
	[I in Id]: Arguments<I> extends { dryRun?: boolean }
		? Extract<Data<I>, { impact: unknown }> extends never
			? Call<Arguments<I>, Data<I>>
			: CallWithPreview<Arguments<I>, Data<I>>
		: Call<Arguments<I>, Data<I>>;
};

/** The one list beside its `pagination`. */
type Rows<D> = D extends { pagination: Pagination } ? Exclude<D[keyof D], Pagination> : never;
type Row<D> = [Rows<D>] extends [never] ? never : Rows<D> extends (infer R)[] ? R : never;
type ListId = { [I in Id]: [Row<Data<I>>] extends [never] ? never : I }[Id];

export interface FeedOptions extends CallOptions {
	/** `sequence` of the last event that was handled, or a page's `next_after`; default 0, from the oldest that is kept */
	after?: number;
	types?: EventType[];
	bookingId?: number;
	/** Wait for what comes (default), or end with what is there */
	follow?: boolean;
}

interface Iterators {
	/** Every row of a list, page by page. */
	each<I extends ListId>(
		list: I,
		args?: Omit<Arguments<I>, 'page' | 'pageSize' | 'noPagination'> & { pageSize?: number },
		options?: CallOptions,
	): AsyncGenerator<Row<Data<I>>, void>;
	/** The account's events in order, without a gap and without an end. A server that is away is waited for. */
	events(options?: FeedOptions): AsyncGenerator<Event, void>;
	/** The same by pages, each with the `next_after` to keep: it moves on also where no event was of `types`. */
	eventPages(options?: FeedOptions): AsyncGenerator<EventList, void>;
}

/** A method for each operation of the reference, and iterators over lists and events. */
export type Slotwise = Operations & Iterators;

type AnyCall = (args: object, options?: CallOptions) => Promise<unknown>;

export function createClient(options: ClientOptions): Slotwise {
	const send = sender(options);
	const calls: Record<string, AnyCall> = {};
	for (const [id, operation] of Object.entries(api)) {
		if (typeof operation !== 'function') continue;
		// One key for all the tries of a call; with a key of your own your process may end in between.
		const withKey = (args: { idempotencyKey?: string }) =>
			api.keyed.includes(id) ? { ...args, idempotencyKey: args.idempotencyKey ?? newKey() } : args;
		const request = operation as (args: object, opts: RequestOpts) => Promise<unknown>;
		calls[id] = async (args = {}, options = {}) => request(withKey(args), { ...options, send });
	}
	const client = { ...calls, each, events, eventPages } as unknown as Slotwise;

	async function* each(list: string, args: { pageSize?: number } = {}, options?: CallOptions) {
		const { pageSize = 100 } = args;
		for (let page = 1; ; page++) {
			const data = (await calls[list]!({ ...args, pageSize, page }, options)) as { pagination: Pagination };
			const { pagination, ...rows } = data;
			yield* Object.values(rows)[0] as unknown[];
			if (page >= pagination.total_pages) return;
		}
	}

	async function* eventPages({ follow = true, after = 0, types, bookingId, ...rest }: FeedOptions = {}) {
		const asked = { limit: 1000, ...(types && { types }), ...(bookingId !== undefined && { bookingId }) };
		const { retries = follow ? Number.POSITIVE_INFINITY : undefined } = rest;
		const options = { ...rest, ...(retries !== undefined && { retries }) };
		for (let position = after; ; ) {
			const page = await client.listEvents({ ...asked, after: position, ...(follow && { wait: 30 }) }, options);
			position = page.next_after;
			yield page;
			if (!follow && !page.has_more) return;
		}
	}

	async function* events(options?: FeedOptions) {
		for await (const page of eventPages(options)) yield* page.events;
	}

	return client;
}

function newKey(): string {
	return crypto.randomUUID();
}
