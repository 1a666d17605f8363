import { type Mutation, mutation as m } from './mutation.ts';

const fold = 'services/booking/changes/fold.ts';
const changeQueue = 'services/booking/changes/change-queue.ts';
const closeService = 'services/booking/close-service.ts';
const relay = 'services/booking/outbox/relay.ts';
const directory = 'services/booking/outbox/directory.ts';
const sweeper = 'services/booking/outbox/sweeper.ts';
const plannedChange = 'services/booking/changes/planned-change.ts';
const updateBooking = 'services/booking/update-booking.ts';
const answered = 'shared/work/answered.ts';
const holds = 'services/booking/holds/holds.ts';

/** Changes of bookings, their events, the ends of holds, deletions */
export const changes: readonly Mutation[] = [
	m(fold, 'assertVersion(this.current.version, request.if_match, request.expected);', '', 'If-Match is not looked at'),
	m(
		fold,
		'outbox: [...(this.#update?.outbox ?? []), ...(update.outbox ?? [])] };',
		'outbox: update.outbox ?? [] };',
		'of changes in one write only the last one has an event',
	),
	m(
		fold,
		"if ('error' in member) member.queued.reject(member.error);\n\t\t\telse member.queued.resolve(member.booking);",
		'member.queued.resolve((member as { booking?: PromisedBooking }).booking ?? this.current);',
		'a refused change in a fold is acknowledged',
	),
	m(
		fold,
		'\t\t\tdeadline.assertTimeLeft();\n\t\t\tassertVersion',
		'\t\t\tassertVersion',
		'a change is folded in after its deadline',
	),
	m(changeQueue, "if (outcome !== 'written') return outcome;", '', 'a fold that was stale is acknowledged'),
	m(
		changeQueue,
		"return outcome === 'stale' ? undefined : moved;",
		'return moved;',
		'a move that was stale is acknowledged',
	),
	m(
		changeQueue,
		"return outcome === 'written' ? after : undefined;",
		'return after;',
		'a deletion that was stale is acknowledged',
	),
	m(
		changeQueue,
		'\t\t\tif (isExpired(current.booking, now)) {',
		'\t\t\tif (isExpired(current.booking, now - 3_600_000)) {',
		'a booking can be confirmed after its hold has ended',
	),
	m(
		changeQueue,
		'\t\t\t\tservice_id !== before.service_id &&\n\t\t\t\t(await',
		'\t\t\t\tservice_id === before.service_id &&\n\t\t\t\t(await',
		'nobody looks whether a booking moved into a closed service',
	),
	m(
		changeQueue,
		"\t\tif (!isExpired(other, now)) throw new ApiError('duplicate_booking');\n",
		"\t\tif (other.held_until === -1) throw new ApiError('duplicate_booking');\n",
		'a duplicate is tried again and again instead of being refused',
	),
	m(
		closeService,
		'await store.closures.mark({ _id: service_id, account_id, slots, timezone, closed_at });',
		'',
		'a service is closed without a mark',
	),
	m(relay, '\t\tawait this.#store.all.clearOutboxes(known);\n', '', 'outboxes are never cleared'),
	m(
		relay,
		"await call(this.#broker, 'notifications.append', { events }, { timeout: SEND_TIMEOUT });",
		"await call(this.#broker, 'notifications.append', { events }, { timeout: SEND_TIMEOUT }).catch(() => {});",
		'events that the log did not take count as sent',
	),
	m(
		relay,
		'if (known === undefined || known.version < document.version)',
		'if (known === undefined)',
		'an older state of a booking is delivered and cleared in place of the newest',
	),
	m(
		directory,
		"\t\t\tawait call(this.#broker, 'customer.record', { entries }, { timeout: TIMEOUT });\n",
		'',
		'the directory of customers is not told',
	),
	m(
		sweeper,
		"await this.#deliver(this.#next === 'all' ? {} : { until: old });",
		'',
		'the sweep leaves what another process left',
	),
	m(
		sweeper,
		'if (await this.#deleteSurvivors(documents, marks)) continue;',
		'',
		'a booking that outlived its service stays',
	),
	m(
		sweeper,
		'\t\tif (left.length > 0) await this.#deliver({ ids: left });\n',
		'\t\tvoid left;\n',
		'what a process left whose clock was ahead waits for an hour (X4)',
	),
	m(
		plannedChange,
		"return before.status === 'cancelled' || isMoved(before, after);",
		'return isMoved(before, after);',
		'a booking that comes back from cancelled takes no seat',
	),
	m(
		plannedChange,
		'return before.date !== after.date || before.time_slot_id !== after.time_slot_id;',
		'return before.date !== after.date;',
		'a move to another slot on the same date takes no seat',
	),
	m(
		plannedChange,
		"\tif (after.status === 'cancelled') return releasedFields(before._id);\n",
		'',
		"a cancelled booking keeps its seat and its customer's key",
	),
	m(updateBooking, '\t\tif (same) return null;\n', '', 'a change of the customer that changes nothing makes a version'),
	m(
		answered,
		'if (!isError(error, missing) || (await wasAnswered(deadline, isUnanswered))) throw error;',
		'if (!isError(error, missing) || wasAnswered(deadline, isUnanswered)) throw error;',
		'a DELETE that is repeated as nobody was told is not found',
	),
	m(
		answered,
		'if (!isError(error, missing) || (await wasAnswered(deadline, isUnanswered))) throw error;',
		'if (!isError(error, missing) || deadline.remaining() < 0) throw error;',
		'a booking that never was can be deleted',
	),
	m(holds, '\t\tthis.#relay.send(after);\n', '\t\tvoid after;\n', 'that a hold ended is told by the sweep only'),
];
