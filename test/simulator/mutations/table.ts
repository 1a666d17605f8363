/** A small mistake: one place of the product's text becomes another one. */
export interface Mutation {
	file: string;
	from: string;
	to: string;
	/** What is wrong then */
	about: string;
}

const booking = 'services/booking';
const schedule = 'services/catalog/schedule';

const m = (file: string, from: string, to: string, about: string): Mutation => ({ file, from, to, about });

/** Conditions that are dropped, orders that are swapped, errors that nobody looks at. */
export const mutations: readonly Mutation[] = [
	m(
		`${booking}/document/booking-store.ts`,
		'const filter = { _id, account_id, version, write_id, deleted_at: null };',
		'const filter = { _id, account_id, deleted_at: null };',
		'a change does not compare what it was decided on',
	),
	m(
		`${booking}/document/booking-store.ts`,
		"return matchedCount === 1 ? 'written' : 'stale';",
		"return 'written';",
		'a change that met another booking counts as made',
	),
	m(
		`${booking}/document/booking-store.ts`,
		"if (fate === 'landed') return 'written';\n			throw error;",
		"if (fate === 'landed') throw error;\n			return 'written';",
		'what a lost insert came to is taken for the opposite',
	),
	m(
		`${booking}/document/booking-store.ts`,
		"return code === duplicateKey || code === deadlockDetected ? 'duplicate key' : failureOf(code);",
		"return 'written';",
		'what a unique index refused counts as written',
	),
	m(
		`${booking}/document/booking-store.ts`,
		'> IDEMPOTENCY_TTL) {',
		'> 10) {',
		'an Idempotency-Key is forgotten after 10 ms',
	),
	m(
		`${booking}/document/booking-store.ts`,
		'			...ofAccounts(keys),\n			deleted_at: null,',
		'			...ofAccounts(keys),',
		'a deleted booking is found',
	),
	m(
		`${booking}/document/booking-store.ts`,
		'$set: { ...fields, version: version + versions },',
		'$set: { ...fields, version: version + 1 },',
		'several changes in one write count as one version',
	),
	m(
		`${booking}/document/settle-change.ts`,
		"if (now.write_id === before.write_id) return 'undecided';",
		"if (now.write_id === before.write_id) return 'stale';",
		'a change that may still land is refused',
	),
	m(
		`${booking}/document/settle-change.ts`,
		"if (outcome === 'duplicate key' && (await renewWriteId(model, lost))) return outcome;",
		"if (outcome === 'duplicate key') return outcome;",
		'a refused change is not kept from landing later',
	),
	m(
		`${booking}/document/settle-insert.ts`,
		"return isFence(there) || !isSame(there, document) ? 'fenced' : 'landed';",
		"return 'fenced';",
		'an insert whose answer was lost is refused though it is there',
	),
	m(
		`${booking}/document/settle-insert.ts`,
		'await withoutDeadline(() => model.insertMany([fence(document, timestamp(clock.now()))], { lean: true }));',
		'',
		'an insert whose answer was lost is not fenced',
	),
	m(
		`${booking}/document/states.ts`,
		'return { ...UNCOUNTED, seat: NO_SEAT, customer_key: filler(id) };',
		'return { customer_key: filler(id) } as never;',
		'a booking that is cancelled keeps its seat',
	),
	m(
		`${booking}/document/states.ts`,
		'customer_key: customerKey ?? filler(_id),',
		'customer_key: filler(_id),',
		'nothing in the store tells a customer who is there already',
	),
	m(
		`${booking}/document/all-bookings.ts`,
		'			$inc: { version: 1 },\n',
		'',
		'a deletion with the service makes no version',
	),
	m(
		`${booking}/document/all-bookings.ts`,
		'const filter = { _id: { $in: documents.map((document) => document._id) }, version };',
		'const filter = { _id: { $in: documents.map((document) => document._id) } };',
		'an outbox is cleared of events that were never sent',
	),
	m(
		`${booking}/seats/capacity.ts`,
		'seats.length < count && seat < max;',
		'seats.length < count + 1 && seat < max + 1;',
		'one seat too many is given out',
	),
	m(
		`${booking}/seats/decide-batch.ts`,
		"if (claim.movedId !== undefined && present.has(claim.movedId)) return { kind: 'stale' };",
		'',
		'a booking that is there already claims a seat once more',
	),
	m(
		`${booking}/seats/decide-batch.ts`,
		'accepted.push(index);',
		'',
		'a refusal stands though those it rests on were not written',
	),
	m(
		`${booking}/seats/seat-queue.ts`,
		'QuotaUse.giveBack(occurrence, usesOf(batch), this.#dependencies);',
		'',
		'what was reserved of the quota and not used is not given back',
	),
	m(
		`${booking}/seats/new-booking.ts`,
		"if (outcome === 'written') this.quota.keep();",
		'',
		'bookings that are made are given back to the quota',
	),
	m(
		`${booking}/seats/new-booking.ts`,
		"if (outcome === 'written') await this.#undoIfServiceDeleted();\n		else await",
		"if (outcome !== 'written') await",
		'nobody looks whether the service was deleted meanwhile',
	),
	m(
		`${booking}/seats/new-booking.ts`,
		'document.idempotency_key = idempotencyKeyOf(account_id, idempotency.key);',
		'',
		'a booking does not hold its Idempotency-Key',
	),
	m(
		`${booking}/changes/fold.ts`,
		'assertVersion(this.current.version, request.if_match, request.expected);',
		'',
		'If-Match is not looked at',
	),
	m(
		`${booking}/changes/fold.ts`,
		'outbox: [...(this.#update?.outbox ?? []), ...(update.outbox ?? [])] };',
		'outbox: update.outbox ?? [] };',
		'of changes in one write only the last one has an event',
	),
	m(
		`${booking}/changes/fold.ts`,
		"if ('error' in member) member.queued.reject(member.error);\n			else member.queued.resolve(member.booking);",
		'member.queued.resolve((member as { booking?: PromisedBooking }).booking ?? this.current);',
		'a refused change in a fold is acknowledged',
	),
	m(
		`${booking}/changes/change-queue.ts`,
		"if (outcome !== 'written') return outcome;",
		'',
		'a fold that was stale is acknowledged',
	),
	m(
		`${booking}/changes/change-queue.ts`,
		"return outcome === 'stale' ? undefined : moved;",
		'return moved;',
		'a move that was stale is acknowledged',
	),
	m(
		`${booking}/changes/change-queue.ts`,
		"return outcome === 'written' ? after : undefined;",
		'return after;',
		'a deletion that was stale is acknowledged',
	),
	m(
		`${booking}/close-service.ts`,
		'await store.closures.mark({ _id: service_id, account_id, slots, timezone, closed_at });',
		'',
		'a service is closed without a mark',
	),
	m(
		`${booking}/outbox/relay.ts`,
		'		await this.#store.all.clearOutboxes(ready);\n		return',
		'		return',
		'outboxes are never cleared',
	),
	m(
		`${booking}/outbox/relay.ts`,
		"await call(this.#broker, 'notifications.append', { events: message }, { timeout: SEND_TIMEOUT });",
		"await call(this.#broker, 'notifications.append', { events: message }, { timeout: SEND_TIMEOUT }).catch(() => {});",
		'events that the log did not take count as sent',
	),
	m(
		`${booking}/outbox/sweeper.ts`,
		"await this.#deliver(this.#next === 'all' ? {} : { until: old });",
		'',
		'the sweep leaves what another process left',
	),
	m(
		`${booking}/outbox/sweeper.ts`,
		'if (await this.#deleteSurvivors(documents, marks)) continue;',
		'',
		'a booking that outlived its service stays',
	),
	m(
		'services/accounts/quota/usage-store.ts',
		"...(room === 'as read' ? { bookings } : atMost(room)), ...asRead },",
		'...asRead },',
		'a reservation does not look how much is left',
	),
	m(
		'services/accounts/quota/usage-store.ts',
		'{ ...key, ...atMost(limit - total), ...Object.fromEntries(later) },',
		'{ ...key, ...atMost(limit - total) },',
		'a reservation that is repeated is counted twice',
	),
	m(
		'services/accounts/quota/usage-store.ts',
		'[path]: { $not: { $gte: number } } };',
		'};',
		'a return that is repeated is counted twice',
	),
	m('shared/store/counter.ts', '{ $inc: { value: total } }', '{ $inc: { value: 1 } }', 'ids are given out twice'),
	m(
		'shared/store/write-errors.ts',
		'return causes(error).some(isLost);',
		'return false;',
		'a lost answer counts as a refusal',
	),
	m(
		'shared/engine/by-account.ts',
		'return document?.account_id === key.account_id ? document : null;',
		'return document ?? null;',
		"what is another account's is found in a shared read",
	),
	m(
		'shared/lock/redis-fair-lock.ts',
		'if (held) return this.#grant(waiter, ours + left);',
		'if (held || this.#held.size >= 0) return this.#grant(waiter, ours + left);',
		'everybody is given the lock (which orders, and decides nothing)',
	),
	m(
		'services/notifications/log/event-store.ts',
		'if (isDuplicateKey(error) || bulkWriteErrors(error)) return false;',
		'if (isDuplicateKey(error) || bulkWriteErrors(error)) return true;',
		'events whose numbers were taken count as appended',
	),
	m(
		'services/notifications/log/event-log.ts',
		'toDocument(event, last + 1 + index, appendedAt)',
		'toDocument(event, last + 2 + index, appendedAt)',
		'a number of the log is left out',
	),
	m(
		'services/notifications/log/event-log.ts',
		'return events.filter((event) => !there.has(event.id));',
		'return there.size > 0 ? [] : events;',
		'where some events are there, all count as there',
	),
	m(
		`${schedule}/slot-store.ts`,
		'const asRead = { _id, account_id, sequence, open_since: 0 };',
		'const asRead = { _id, account_id };',
		'an update is committed on what another one changed meanwhile',
	),
	m(
		`${schedule}/slot-store.ts`,
		'this.model.updateOne({ _id: slot_id, account_id, revision }, { $set: changed })',
		'this.model.updateOne({ _id: slot_id, account_id }, { $set: changed })',
		'an update that is carried out late undoes a newer one',
	),
	m(
		`${schedule}/slot-store.ts`,
		'slots = updates.reduce(withUpdate, await this.#readAll(keys));',
		'slots = await this.#readAll(keys);',
		'who books sees a slot as before an update that is committed',
	),
	m(
		`${schedule}/update-slots.ts`,
		'			deadline.assertTimeLeft();\n				const changes',
		'				const changes',
		'a bulk update is committed after its deadline',
	),
	m(
		`${schedule}/update-slots.ts`,
		'if (update.open_since > 0) await carryOut(store, update);',
		'',
		'an update goes on from slots that are half of another one',
	),
];
