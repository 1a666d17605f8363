import { type Mutation, mutation as m } from './mutation.ts';

const bookingStore = 'services/booking/document/booking-store.ts';
const settleChange = 'services/booking/document/settle-change.ts';
const settleInsert = 'services/booking/document/settle-insert.ts';
const states = 'services/booking/document/states.ts';
const allBookings = 'services/booking/document/all-bookings.ts';
const prepareUpdate = 'services/booking/document/prepare-update.ts';
const closures = 'services/booking/document/closures.ts';
const keys = 'services/booking/document/keys.ts';
const crowds = 'services/booking/document/crowds.ts';
const writeLimit = 'services/booking/document/write-limit.ts';

/** What is written of a booking, and when */
export const documents: readonly Mutation[] = [
	m(
		bookingStore,
		'const filter = { _id, account_id, version, write_id, deleted_at: null };',
		'const filter = { _id, account_id, deleted_at: null };',
		'a change does not compare what it was decided on',
	),
	m(bookingStore, "if (matchedCount === 0) return 'stale';\n", '', 'a change that met another booking counts as made'),
	m(
		bookingStore,
		"if (fate === 'landed') return 'written';\n\t\t\tthrow error;",
		"if (fate === 'landed') throw error;\n\t\t\treturn 'written';",
		'what a lost insert came to is taken for the opposite',
	),
	m(
		bookingStore,
		"return code === duplicateKey || code === deadlockDetected ? 'duplicate key' : failureOf(code);",
		"return 'written';",
		'what a unique index refused counts as written',
	),
	m(bookingStore, '> IDEMPOTENCY_TTL) {', '> 10) {', 'an Idempotency-Key is forgotten after 10 ms'),
	m(bookingStore, '...ofAccounts(keys), deleted_at: null };', '...ofAccounts(keys) };', 'a deleted booking is found'),
	m(
		bookingStore,
		'$set: { ...fields, version: version + versions },',
		'$set: { ...fields, version: version + 1 },',
		'several changes in one write count as one version',
	),
	m(
		bookingStore,
		"\t\tif (document.idempotency.fingerprint !== fingerprint) throw new ApiError('idempotency_key_reused');\n",
		'',
		'the first answer is given to another request under the same key',
	),
	m(
		bookingStore,
		'write_id: isFence(before) ? write_id : randomBase62(12) };',
		'write_id };',
		'a repair whose answer was lost may land after a later one',
	),
	m(
		bookingStore,
		'return its.length > this.#crowd ? undefined : its.map(occupant);',
		'return its.map(occupant);',
		'a crowd of which only a part was read counts as read whole',
	),
	m(
		bookingStore,
		'if (documents.length === limit && occurrences.length > 1) {',
		'if (documents.length > limit) {',
		'occurrences that were read together are cut off',
	),
	m(
		bookingStore,
		"if (isDuplicateKey(error)) return 'duplicate key';\n\t\t\t\tthrow error;",
		"if (isDuplicateKey(error)) return 'written';\n\t\t\t\tthrow error;",
		'a change that a unique index refused counts as made',
	),
	m(
		settleChange,
		"if (now.write_id === before.write_id) return 'undecided';",
		"if (now.write_id === before.write_id) return 'stale';",
		'a change that may still land is refused',
	),
	m(
		settleChange,
		"if (outcome === 'duplicate key' && (await renewWriteId(model, lost))) return outcome;",
		"if (outcome === 'duplicate key') return outcome;",
		'a refused change is not kept from landing later',
	),
	m(
		settleChange,
		'if (writes.some((write)',
		'if (writes.length > REMEMBERED && writes.some((write)',
		'a change whose answer was lost, and that another one followed, counts as refused',
	),
	m(
		settleChange,
		"if (writes.length < REMEMBERED || versionOf(writes[0]!) <= before.version) return 'stale';",
		"if (writes.length > 0) return 'stale';",
		'a list that does not reach back far enough tells of a refusal',
	),
	m(
		settleChange,
		'\t\t\tlost.deadline?.assertTimeLeft();\n',
		'',
		'a change whose answer was lost is tried again after its deadline',
	),
	m(
		settleInsert,
		"return isFence(there) || !isSame(there, document) ? 'fenced' : 'landed';",
		"return 'fenced';",
		'an insert whose answer was lost is refused though it is there',
	),
	m(
		settleInsert,
		'await withoutDeadline(() => model.insertMany([fence(document, timestamp(clock.now()))], { lean: true }));',
		'',
		'an insert whose answer was lost is not fenced',
	),
	m(
		settleInsert,
		'return found.created_at === created_at;',
		'return true;',
		'another booking with the same id counts as this one',
	),
	m(
		states,
		'return { ...UNCOUNTED, seat: NO_SEAT, customer_key: filler(id) };',
		'return { customer_key: filler(id) } as never;',
		'a booking that is cancelled keeps its seat',
	),
	m(
		states,
		'customer_key: customerKey ?? filler(_id),',
		'customer_key: filler(_id),',
		'nothing in the store tells a customer who is there already',
	),
	m(
		states,
		'return held_until > 0 && held_until <= now;',
		'return held_until > 0;',
		'a hold ends when somebody looks at it',
	),
	m(
		states,
		"return status === 'pending' && deleted_at === null && expires_at != null ? ",
		'return expires_at != null ? ',
		'a confirmed booking expires',
	),
	m(
		states,
		'return { ...releasedFields(id), listed_under: 0, deleted_at: at };',
		'return { ...releasedFields(id), deleted_at: at };',
		'a deleted booking is still listed under its service',
	),
	m(
		states,
		'return { listed_under: 0, deleted_at: at };',
		'return { ...UNCOUNTED, listed_under: 0, deleted_at: at };',
		'a place of a deleted service is free before that is told',
	),
	m(
		states,
		'\t\tidempotency: null,\n\t\trelay_at: TOMBSTONE,',
		'\t\tidempotency: null,\n\t\trelay_at: 0,',
		'a fence is never removed',
	),
	m(allBookings, '\t\t\t$inc: { version: 1 },\n', '', 'a deletion with the service makes no version'),
	m(
		allBookings,
		'...ofAccounts(documents), version };',
		'...ofAccounts(documents) };',
		'an outbox is cleared of events that were never sent',
	),
	m(
		allBookings,
		'await this.#set(dead, version, { relay_at: TOMBSTONE, ...UNCOUNTED, ...WITHOUT_PERSON });',
		'await this.#set(dead, version, { relay_at: TOMBSTONE, ...UNCOUNTED });',
		'a tombstone still tells of the person',
	),
	m(
		allBookings,
		'if (count < alive.length) {',
		'if (count < 0) {',
		'what is delivered stays in the outbox of a booking that changed meanwhile',
	),
	m(
		allBookings,
		'updateMany({ _id: { $in: ids }, service_id, deleted_at: null }, update)',
		'updateMany({ _id: { $in: ids }, deleted_at: null }, update)',
		'a booking that moved away is deleted with the service it left',
	),
	m(
		allBookings,
		"deleted_at: { $gt: '', $lt: new Date(before).toISOString() },",
		"deleted_at: { $gt: '' },",
		'tombstones are removed at once',
	),
	m(
		allBookings,
		'held_until: { $gt: 0, $lte: until } }, {}, { sort',
		'held_until: { $gt: 0 } }, {}, { sort',
		'the sweep takes every hold for one that ended',
	),
	m(
		prepareUpdate,
		'relay_at: before.relay_at > 0 ? before.relay_at : now,',
		'relay_at: now,',
		'each change makes all that waits look new',
	),
	m(
		prepareUpdate,
		'const outbox = [...unwritten(before), event];',
		'const outbox = [event];',
		'a creation is told of with what was changed later',
	),
	m(
		prepareUpdate,
		'return outbox.filter(({ id, data }) => data !== undefined || !written.has(id));',
		'return [...outbox];',
		'an event that got its data later is told twice',
	),
	m(
		prepareUpdate,
		"const fields = { status: 'cancelled' as const, cancel_reason: 'expired', ...releasedFields(before._id) };",
		"const fields = { status: 'cancelled' as const, cancel_reason: 'expired' };",
		'an expired booking keeps its seat',
	),
	m(
		closures,
		'\t\t\tif (!isDuplicateKey(error)) throw error;\n',
		'\t\t\tthrow error;\n',
		'a closing that is repeated fails',
	),
	m(keys, 'digest(normalisedEmail(email))', 'digest(email)', "an address in capitals is another customer's"),
	m(
		keys,
		'return phone === null ? null',
		"return phone === null || phone !== '' ? null",
		'customers are not told by their telephone numbers',
	),
	m(
		crowds,
		'seat: { $gte: seat } };',
		'seat: { $gt: seat } };',
		'a crowd in which the seat at the maximum is held does not count as lowered',
	),
	m(
		writeLimit,
		'if (lease?.lasts(ENOUGH)) shortest',
		'if (lease) shortest',
		'a write is limited by a lease that nearly ended',
	),
];
