import type { Params } from '../../../shared/contract/actions.ts';
import { ApiError, isError } from '../../../shared/contract/errors.ts';
import type { Refused } from '../../../shared/contract/refused.ts';
import type { EventReport } from '../../../shared/contract/reports.ts';
import type { Event, EventList, EventType } from '../../../shared/contract/schemas/event.ts';
import type { Deadline } from '../../../shared/work/deadline.ts';
import type { AppendSignals } from './append-signals.ts';
import { type EventDocument, type EventStore, toEvent } from './event-store.ts';

interface Selection {
	account_id: string;
	/** Sequence to go on from; 0 for the oldest event that is kept */
	after: number;
	/** 1 to 1000 */
	limit: number;
	/** Every type where it is left out or empty */
	types?: EventType[];
	/** Of one booking only */
	booking_id?: number | undefined;
}

/** Bytes of an answer as JSON: the bus carries 1 MiB a message */
const MOST_BYTES = 512 * 1024;
/** Bytes of an answer without its events */
const ENVELOPE = 64;
/** Events of one query, each up to about 10 KiB */
const PIECE = 250;

/**
 * Reads on in an account's log, oldest first, until `limit`, 512 KiB or the end.
 * @throws events_expired where the events right behind `after` are not kept any more
 */
export async function readEvents(store: EventStore, selection: Selection): Promise<EventList> {
	const types = [...new Set(selection.types ?? [])];
	const some = await someReader(store, selection, types);
	const read = some?.read ?? plainReader(store, selection);
	const page = new Page(selection.limit);
	for (let after = selection.after; ; ) {
		const count = Math.min(PIECE, page.missing + 1);
		const documents = await read(after, count);
		for (const document of documents) {
			if (!page.add(document)) return page.list(true, after);
			after = document.sequence;
		}
		if (documents.length < count) return page.list(false, some?.end ?? after);
	}
}

/**
 * The same, but where the events right behind `after` are not kept any more, it goes on with the oldest that is.
 */
export async function readKeptEvents(store: EventStore, selection: Selection): Promise<EventList> {
	try {
		return await readEvents(store, selection);
	} catch (error) {
		if (!isError(error, 'events_expired')) throw error;
		return readEvents(store, { ...selection, after: 0 });
	}
}

/** Sequence of the last event, where it is before `after`; undefined where the log has got that far. */
async function endBefore(store: EventStore, account_id: string, after: number): Promise<number | undefined> {
	return after === 0 || (await store.reaches(account_id, after)) ? undefined : store.newestSequence(account_id);
}

/**
 * The last events of an account's log, or of one booking, oldest first, for operators: without the customers that they name.
 * @param after the sequence behind which they are, where the first ones behind it are asked for
 */
export async function tailEvents(
	store: EventStore,
	{ account_id, limit, booking_id, after: asked }: Params<'notifications.tailEvents'>,
): Promise<EventReport[] | Refused> {
	const after = asked ?? (await beforeLast(store, account_id, limit, booking_id));
	const { events } = await readKeptEvents(store, { account_id, after, limit, booking_id });
	const end = events.length > 0 ? undefined : await endBefore(store, account_id, after);
	if (end !== undefined)
		return { refused: `There is no event ${after} of account ${account_id}: its feed ends with ${end}.` };
	return events.map(({ sequence, id, type, timestamp, data }) => ({
		sequence,
		id,
		type,
		timestamp,
		booking_id: 'id' in data ? data.id : null,
	}));
}

/** The sequence behind which the last `limit` events are. */
async function beforeLast(
	store: EventStore,
	account_id: string,
	limit: number,
	booking_id: number | undefined,
): Promise<number> {
	if (booking_id === undefined) return Math.max(0, (await store.newestSequence(account_id)) - limit);
	const [first] = (await store.ofBooking(account_id, booking_id)).slice(-limit);
	return first === undefined ? 0 : first.sequence - 1;
}

/** Answers the next `count` events behind `after`; fewer at the end of the log. */
type Reader = (after: number, count: number) => Promise<EventDocument[]>;
/** `end`: the sequence up to which there are no others than those that it reads */
type SomeReader = { read: Reader; end: number };

function plainReader(store: EventStore, { account_id, after: start }: Selection): Reader {
	return async (after, count) => {
		const documents = await store.after(account_id, after, count);
		const hole = firstHole(documents, after);
		if (hole === 0 && after === start) throw new ApiError('events_expired');
		return documents.slice(0, hole);
	};
}

/**
 * What reads some of the events only; undefined where all of them are asked for. All are read up to the end that the log
 * had before, so that nothing later comes before something earlier.
 */
async function someReader(
	store: EventStore,
	selection: Selection,
	types: EventType[],
): Promise<SomeReader | undefined> {
	const { account_id, after: start, booking_id } = selection;
	if (types.length === 0 && booking_id === undefined) return undefined;
	const end = await store.newestSequence(account_id, start);
	if (end === start) return { read: async () => [], end };
	await plainReader(store, selection)(start, 1);
	if (booking_id === undefined) return { read: typedReader(store, account_id, types, end), end };
	const ofBooking = await store.ofBooking(account_id, booking_id);
	const asked = ofBooking.filter(({ type, sequence }) => {
		return sequence <= end && (types.length === 0 || types.includes(type));
	});
	const read: Reader = (after, count) => {
		const next = asked.filter(({ sequence }) => sequence > after).slice(0, count);
		return store.byIds(
			account_id,
			next.map(({ _id }) => _id),
		);
	};
	return { read, end };
}

/** Each type is read by its own index, because a query for several types could not be sorted by it. */
function typedReader(store: EventStore, account_id: string, types: EventType[], end: number): Reader {
	return async (after, count) => {
		const found = await Promise.all(types.map((type) => store.ofType({ account_id, type }, after, end, count)));
		return found
			.flat()
			.sort((a, b) => a.sequence - b.sequence)
			.slice(0, count);
	};
}

/**
 * Index of the first event that does not follow its predecessor; undefined where all do. The log has no holes (see
 * `EventLog`), its beginning aside, which the sweep removes. A reader is never led over one: it would not come back.
 */
function firstHole(documents: EventDocument[], after: number): number | undefined {
	const first = after === 0 ? documents[0]?.sequence : after + 1;
	const hole = documents.findIndex((document, index) => document.sequence !== first! + index);
	return hole === -1 ? undefined : hole;
}

/** What goes into one answer. */
class Page {
	readonly #events: Event[] = [];
	readonly #limit: number;
	#bytes = ENVELOPE;

	constructor(limit: number) {
		this.#limit = limit;
	}

	get missing(): number {
		return this.#limit - this.#events.length;
	}

	/** @returns false where it is full. A first event is always taken: without it, a reader could never go on. */
	add(document: EventDocument): boolean {
		const event = toEvent(document);
		const bytes = Buffer.byteLength(JSON.stringify(event)) + 1;
		const fits = this.#bytes + bytes <= MOST_BYTES || this.#events.length === 0;
		if (this.missing === 0 || !fits) return false;
		this.#events.push(event);
		this.#bytes += bytes;
		return true;
	}

	/** @param next_after the sequence up to which nothing that was asked for is left out */
	list(has_more: boolean, next_after: number): EventList {
		return { events: this.#events, has_more, next_after };
	}
}

export interface ListEvents extends Selection {
	/** s to wait for an event where there is none yet; 0 to 30 */
	wait?: number;
}

export interface Waiting {
	signals: AppendSignals;
	/** Whether this process is being stopped: then nobody waits any more. */
	isStopping(): boolean;
}

/** ms between two looks without a signal, which may get lost between processes */
const LOOK_AGAIN = 1_000;
/** ms before the caller's deadline at which an empty answer leaves */
const RESERVE = 500;

/**
 * The account's events behind `after`, oldest first. With `wait`, an answer that would be empty is held back until there
 * is an event, at most that long.
 * @throws events_expired where the events right behind `after` are not kept any more, or `after` is beyond the end of the log
 */
export async function listEvents(
	store: EventStore,
	{ signals, isStopping }: Waiting,
	{ wait = 0, ...selection }: ListEvents,
	deadline: Deadline,
): Promise<EventList> {
	const end = performance.now() + Math.min(wait * 1000, deadline.remaining() - RESERVE);
	const watch = signals.watch(selection.account_id);
	try {
		let isFirst = true;
		for (let { after } = selection; ; isFirst = false) {
			const list = await readEvents(store, { ...selection, after });
			if (isFirst && list.next_after === after) await assertReached(store, selection);
			const left = end - performance.now();
			if (list.events.length > 0 || left <= 0 || isStopping()) return list;
			after = list.next_after; // what was not asked for is not read again
			await watch.wait(Math.min(left, LOOK_AGAIN));
		}
	} finally {
		watch.close();
	}
}

/**
 * Who is further on than the log would miss all that comes up to there: so it is after an older backup was restored. They are
 * told as those are who are too far behind, for both have to begin anew.
 */
async function assertReached(store: EventStore, { account_id, after }: Selection): Promise<void> {
	const end = await endBefore(store, account_id, after);
	if (end === undefined) return;
	throw new ApiError(
		'events_expired',
		`after: the feed ends with ${end}, so ${after} was given out before an older backup was restored, or is of another ` +
			'feed: read the bookings anew, then go on with after=0',
	);
}
