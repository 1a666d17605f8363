import { type Mutation, mutation as m } from './mutation.ts';

const eventStore = 'services/notifications/log/event-store.ts';
const eventLog = 'services/notifications/log/event-log.ts';
const appendEvents = 'services/notifications/log/append-events.ts';
const readEvents = 'services/notifications/log/read-events.ts';

/** The log of events */
export const log: readonly Mutation[] = [
	m(
		eventStore,
		'if (isDuplicateKey(error) || bulkWriteErrors(error)) return false;',
		'if (isDuplicateKey(error) || bulkWriteErrors(error)) return true;',
		'events whose numbers were taken count as appended',
	),
	m(
		eventStore,
		'insertMany(events, { ordered: true, lean: true })',
		'insertMany(events, { ordered: false, lean: true })',
		'an insert goes on behind a number that was refused',
	),
	m(
		eventStore,
		'{ account_id, sequence: { $gt: after, $lte: after + count } }',
		'{ account_id, sequence: { $gte: after, $lte: after + count } }',
		'a page begins with the last event of the one before',
	),
	m(
		eventLog,
		'toDocument(event, last + 1 + index, appendedAt)',
		'toDocument(event, last + 2 + index, appendedAt)',
		'a number of the log is left out',
	),
	m(
		eventLog,
		'return events.filter((event) => !there.has(event.id));',
		'return there.size > 0 ? [] : events;',
		'where some events are there, all count as there',
	),
	m(
		eventLog,
		'if (known && Math.abs(this.#clock.now() - known.at) < KNOWN_FOR) return known.sequence;',
		'if (known) return known.sequence;',
		'what was the end of a log once is built on for ever',
	),
	m(
		appendEvents,
		"deadline.remaining() <= 0 ? 'late' : 'inTime',",
		"deadline.remaining() <= Number.NEGATIVE_INFINITY ? 'late' : 'inTime',",
		'what came too late is appended with the others',
	),
	m(
		appendEvents,
		'.reduce((a, b) => (a.at > b.at ? a : b));',
		'.reduce((a, b) => (a.at < b.at ? a : b));',
		'a batch fails with the first of its deadlines',
	),
	m(appendEvents, '\t\tthis.#appended(account_id);\n', '', 'who waits for events is not told of new ones'),
	m(
		readEvents,
		"\t\tif (hole === 0 && after === start) throw new ApiError('events_expired');\n",
		'\t\tvoid start;\n',
		'a reader whose events are gone is told that there are none',
	),
	m(readEvents, 'return documents.slice(0, hole);', 'return documents;', 'a reader is led over a hole'),
	m(
		readEvents,
		'return page.list(false, some?.end ?? after);',
		'return page.list(false, after);',
		'a reader whose types never come does not move on',
	),
	m(
		readEvents,
		'\t\treturn sequence <= end && (types',
		'\t\treturn sequence >= 0 && (types',
		'an event that came during the read is shown before an earlier one',
	),
];
