import { ApiError } from '../../../shared/contract/errors.ts';
import type { BookingEvent, EventList, EventType } from '../../../shared/contract/schemas/event.ts';
import { type EventDocument, type EventModel, toEvent } from './event.model.ts';
import { newestSequence } from './event-log.ts';

export interface Selection {
	account_id: string;
	/** Sequence to go on from; 0 for the oldest event that is kept */
	after: number;
	/** 1 to 1000 */
	limit: number;
	/** Every type where it is left out or empty */
	types?: EventType[];
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
export async function readEvents(model: EventModel, selection: Selection): Promise<EventList> {
	const types = [...new Set(selection.types ?? [])];
	const typed = types.length > 0 ? await typedReader(model, selection, types) : undefined;
	const read = typed?.read ?? plainReader(model, selection);
	const page = new Page(selection.limit);
	for (let after = selection.after; ; ) {
		const count = Math.min(PIECE, page.missing + 1);
		const documents = await read(after, count);
		for (const document of documents) {
			if (!page.add(document)) return page.list(true, after);
			after = document.sequence;
		}
		if (documents.length < count) return page.list(false, typed?.end ?? after);
	}
}

/** Answers the next `count` events behind `after`; fewer at the end of the log. */
type Reader = (after: number, count: number) => Promise<EventDocument[]>;
/** `end`: the sequence up to which there are no others than those that it reads */
type TypedReader = { read: Reader; end: number };

function plainReader(model: EventModel, { account_id, after: start }: Selection): Reader {
	return async (after, count) => {
		const query = model.find({ account_id, sequence: { $gt: after } });
		const documents = await query.sort({ sequence: 1 }).limit(count).lean();
		const hole = firstHole(documents, after);
		if (hole === 0 && after === start) throw new ApiError('events_expired');
		return documents.slice(0, hole);
	};
}

/**
 * Each type is read by its own index, for a query for several could not be sorted by it; and only up to the end that the
 * log had before, for else a later event of one type could be shown before an earlier one of another.
 */
async function typedReader(model: EventModel, selection: Selection, types: EventType[]): Promise<TypedReader> {
	const { account_id, after: start } = selection;
	const end = await newestSequence(model, account_id, start);
	if (end === start) return { read: async () => [], end };
	await plainReader(model, selection)(start, 1);
	const ofType = (type: EventType, after: number, count: number) =>
		model
			.find({ account_id, type, sequence: { $gt: after, $lte: end } })
			.sort({ sequence: 1 })
			.limit(count)
			.lean();
	const read: Reader = async (after, count) => {
		const found = await Promise.all(types.map((type) => ofType(type, after, count)));
		return found
			.flat()
			.sort((a, b) => a.sequence - b.sequence)
			.slice(0, count);
	};
	return { read, end };
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
	readonly #events: BookingEvent[] = [];
	readonly #limit: number;
	#bytes = ENVELOPE;

	constructor(limit: number) {
		this.#limit = limit;
	}

	get missing(): number {
		return this.#limit - this.#events.length;
	}

	/** @returns false where it is full; a first event is always taken, for else a reader could not go on */
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
