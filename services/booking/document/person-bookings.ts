import { isDeepStrictEqual } from 'node:util';
import type { Scoped, ToldOfPerson } from '../../../shared/contract/actions.ts';
import { erasedBooking, erasedParts } from '../../../shared/contract/erased.ts';
import { type Person, tellsOf } from '../../../shared/contract/person.ts';
import { timestamp } from '../../../shared/engine/clock.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import { among } from '../../../shared/store/account-scope.ts';
import { findPlain } from '../../../shared/store/find-plain.ts';
import { retryDeadlock } from '../../../shared/store/write-errors.ts';
import { type BookingDocument, type BookingModel, IDEMPOTENCY_TTL } from './booking.model.ts';
import { customerKey, filler } from './keys.ts';
import type { Filter } from './list-filters.ts';
import { changedAt } from './prepare-update.ts';
import { remembered } from './settle-change.ts';

/** Services that one query names, as in a list */
const SERVICES_A_QUERY = 500;
/** What a deleted booking is listed under */
const NO_SERVICE = 0;

/** Reads and writes of an account's bookings that are about a person. */
export class PersonBookings {
	readonly #model: BookingModel;

	constructor(model: BookingModel) {
		this.#model = model;
	}

	/**
	 * Ids above `after`, ascending; also of deleted ones, until what they tell of a person is gone.
	 * @param service_ids all of the account's, those that are being deleted among them
	 */
	async ids(account_id: string, person: Person, service_ids: readonly number[], after: number): Promise<number[]> {
		const services = [NO_SERVICE, ...service_ids];
		const { hint, condition } = byAddress(person);
		const found: number[] = [];
		for (let at = 0; at < services.length; at += SERVICES_A_QUERY) {
			const listed_under = among(services.slice(at, at + SERVICES_A_QUERY));
			const filter: Filter = { account_id, listed_under, ...condition, _id: { $gt: after } };
			const rows = await findPlain(this.#model, filter, { hint, projection: { _id: 1 } });
			found.push(...rows.map(({ _id }) => _id));
		}
		return found.sort((left, right) => left - right);
	}

	/** Those of these bookings that are there, by id, deleted ones too. */
	byIds({ account_id }: Scoped, ids: readonly number[]): Promise<BookingDocument[]> {
		return findPlain(this.#model, { account_id, _id: { $in: [...ids] } }, { hint: '_id_', sort: { _id: 1 } });
	}

	/**
	 * Takes the person out of a booking as it was read, in one write. It stays where it is: its seat, its status and its place in
	 * counts are not about the person. The customer's place in its occurrence it keeps until `release`. One that is the person's
	 * gets a version, so that no client takes what it has for current, and the relay carries it to the directory; one that is
	 * deleted, or somebody else's now, stays at its version.
	 * @param now ms
	 * @returns false where it changed meanwhile
	 */
	async erase(before: BookingDocument, person: Person, now: number): Promise<boolean> {
		const set = erasureOf(before, person);
		if (Object.keys(set).length === 0) return true;
		const { _id, account_id, version, write_id, relay_at } = before;
		const asRead = { _id, account_id, version, write_id, relay_at };
		const changed = { ...set, ...(set.customer && before.deleted_at === null && living(before, now)) };
		const $push = { last_writes: remembered(changed.write_id ?? write_id, version) };
		const update = changed.write_id === undefined ? { $set: changed } : { $set: changed, $push };
		return (await retryDeadlock(() => this.#model.updateOne(asRead, update))).matchedCount === 1;
	}

	/** Frees the customer's place of a booking that has no customer any more. @returns false where it changed meanwhile */
	async release(before: BookingDocument): Promise<boolean> {
		const { _id, account_id, version, write_id, customer_key } = before;
		if (customer_key === filler(_id) || customerKey(before) !== null) return true;
		const asRead = { _id, account_id, version, write_id, customer_key };
		const update = { $set: { customer_key: filler(_id) } };
		return (await retryDeadlock(() => this.#model.updateOne(asRead, update))).matchedCount === 1;
	}
}

/** What a living booking gets with each change. */
function living(before: BookingDocument, now: number) {
	const { version, relay_at } = before;
	return {
		version: version + 1,
		updated_at: changedAt(before, now),
		write_id: randomBase62(12),
		relay_at: relay_at > 0 ? relay_at : now,
	};
}

/** Fields that tell of the person, as they are to be; none where nothing does. */
function erasureOf(document: BookingDocument, person: Person): Partial<BookingDocument> {
	const { outbox, idempotency } = document;
	const set: Partial<BookingDocument> = {};
	if (tellsOf(person, document.customer)) {
		const { cancel_reason, message, customer, metadata } = erasedBooking({ metadata: {}, ...document });
		const personal = { cancel_reason, message, customer, email_key: '' };
		const isThere = document.metadata === undefined ? personal : { ...personal, metadata };
		if (!isDeepStrictEqual({ ...document, ...isThere }, document)) Object.assign(set, isThere);
	}
	const events = outbox.map((entry) => ({ ...entry, ...erasedParts(entry, person) }));
	if (!isDeepStrictEqual(events, outbox)) set.outbox = events;
	if (idempotency !== null && tellsOf(person, idempotency.answer.customer)) {
		const answer = erasedBooking(idempotency.answer);
		if (!isDeepStrictEqual(answer, idempotency.answer)) set.idempotency = { ...idempotency, answer };
	}
	return set;
}

function byAddress({ kind, value }: Person): { hint: string; condition: Filter } {
	return kind === 'email'
		? { hint: 'with_email', condition: { email_key: value } }
		: { hint: 'with_phone', condition: { 'customer.phone': value } };
}

/** First answers that tell of a person and can still be asked for, or could be until somebody asks. */
export function firstAnswersOf(person: Person, documents: readonly BookingDocument[]): ToldOfPerson['first_answers'] {
	return documents.flatMap(({ idempotency }) => {
		if (idempotency === null || !tellsOf(person, idempotency.answer.customer)) return [];
		return [{ kept_until: timestamp(idempotency.at + IDEMPOTENCY_TTL), answer: idempotency.answer }];
	});
}
