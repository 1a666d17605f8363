import type { Connection } from 'mongoose';
import { accountKey } from '../../../shared/contract/actions/common.ts';
import type { Idempotency, Scoped } from '../../../shared/contract/actions.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import type { Booking } from '../../../shared/contract/schemas/booking.ts';
import { matchOwned } from '../../../shared/engine/by-account.ts';
import type { Clock } from '../../../shared/engine/clock.ts';
import { Gatherer } from '../../../shared/engine/gatherer.ts';
import { randomBase62 } from '../../../shared/engine/ids.ts';
import type { Lease } from '../../../shared/lock/fair-lock.ts';
import { among, ofAccounts } from '../../../shared/store/account-scope.ts';
import { Counter, counterModel } from '../../../shared/store/counter.ts';
import { findPlain } from '../../../shared/store/find-plain.ts';
import { isEmbedded } from '../../../shared/store/open-store.ts';
import { prepareModels } from '../../../shared/store/prepare-models.ts';
import {
	bulkWriteErrors,
	deadlockDetected,
	duplicateKey,
	isDuplicateKey,
	mayStillLand,
	retryDeadlock,
} from '../../../shared/store/write-errors.ts';
import { type Deadline, withoutDeadline } from '../../../shared/work/deadline.ts';
import { AllBookings } from './all-bookings.ts';
import {
	type BookingDocument,
	type BookingModel,
	bookingModel,
	IDEMPOTENCY_TTL,
	NO_KEY,
	SEATED,
	SHOWN,
	type ShownBooking,
} from './booking.model.ts';
import { BookingLists } from './booking-lists.ts';
import { Closures, closureModel } from './closures.ts';
import { Crowds, OCCUPANT, occupant } from './crowds.ts';
import { idempotencyKeyOf, type Occupant, type Occurrence, occurrenceKey, occurrenceName } from './keys.ts';
import { PersonBookings } from './person-bookings.ts';
import type { BookingUpdate, UpdateOptions } from './prepare-update.ts';
import { SeatedBookings } from './seated-bookings.ts';
import { remembered, settleChange, type WriteOutcome } from './settle-change.ts';
import { InsertUnsettled, settleInsert } from './settle-insert.ts';
import { gaveUpSeat, isFence } from './states.ts';
import { UntoldGivers } from './untold-givers.ts';
import { writeLimit } from './write-limit.ts';

type BookingKey = Scoped & { booking_id: number };
type KeyOfClient = Scoped & { key: string };
type Insert = Scoped & { document: BookingDocument; lease: Lease | undefined };
type InsertOutcome = Exclude<WriteOutcome, 'stale'>;

/** Occupants above which an occurrence is crowded: as many claims as a batch may have */
const CROWD = 250;

/**
 * Every read and write of bookings goes through here or through what it holds: nothing outside this folder knows the
 * database's operators or its error codes. What arrives together shares one statement (group commit).
 */
export class BookingStore {
	readonly clock: Clock;
	readonly lists: BookingLists;
	readonly all: AllBookings;
	readonly crowds: Crowds;
	readonly seated: SeatedBookings;
	readonly persons: PersonBookings;
	readonly untold: UntoldGivers;
	readonly closures: Closures;
	readonly #model: BookingModel;
	/** Is told of each seat that is given up, when that is written: best effort, for whoever looks for free ones. */
	onSeatFreed: (occurrence: Occurrence, seat: number) => void = () => {};
	readonly #crowd: number;
	readonly #ids: Counter;
	readonly #byId = new Gatherer<BookingKey, BookingDocument | null>((keys) => this.#findByIds(keys));
	readonly #shownById = new Gatherer<BookingKey, ShownBooking | null>((keys) => this.#findByIds(keys, SHOWN));
	readonly #occupants = new Gatherer<Occurrence, Occupant[] | undefined>((keys) => this.#findOccupants(keys));
	readonly #byIdempotencyKey = new Gatherer<KeyOfClient, BookingDocument | null>((keys) => this.#findByKeys(keys));
	readonly #inserts = new Gatherer<Insert, InsertOutcome>((inserts) => this.#insertMany(inserts));

	constructor(connection: Connection, clock: Clock, crowd = CROWD) {
		this.#crowd = crowd;
		this.#model = bookingModel(connection);
		this.clock = clock;
		this.crowds = new Crowds(this.#model);
		this.seated = new SeatedBookings(this.#model);
		this.persons = new PersonBookings(this.#model);
		this.lists = new BookingLists(this.#model);
		this.all = new AllBookings(this.#model);
		this.untold = new UntoldGivers(this.all, isEmbedded(connection));
		this.closures = new Closures(closureModel(connection));
		this.#ids = new Counter(counterModel(connection, 'booking_counters'), 'bookings');
	}

	/** Creates collections and indexes, and makes sure that they are right. */
	async prepare(): Promise<void> {
		await prepareModels([this.#model, this.closures.model]);
	}

	/** The next booking id: small integers, in order of creation within about a second. */
	nextId(): Promise<number> {
		return this.#ids.nextIds(1);
	}

	/** The booking as it is now; null where there is none, where it is deleted, or where it is another account's. */
	find(account_id: string, booking_id: number): Promise<BookingDocument | null> {
		return this.#byId.ask({ account_id, booking_id });
	}

	/** The same, with the fields only that showing it takes. */
	findShown(account_id: string, booking_id: number): Promise<ShownBooking | null> {
		return this.#shownById.ask({ account_id, booking_id });
	}

	/** Every booking that holds a seat of an occurrence now; undefined where it is crowded: then `crowds` is to be asked. */
	occupants(occurrence: Occurrence): Promise<Occupant[] | undefined> {
		return this.#occupants.ask(occurrence);
	}

	/**
	 * The first answer that was given under an Idempotency-Key. A key that is older than 24 h is freed for another request.
	 * @returns undefined where the key is free
	 * @throws idempotency_key_reused where it was another request's
	 */
	async firstAnswerOrFreeKey(account_id: string, { key, fingerprint }: Idempotency): Promise<Booking | undefined> {
		const idempotency_key = idempotencyKeyOf(account_id, key);
		const document = await this.#byIdempotencyKey.ask({ account_id, key: idempotency_key });
		if (document === null || document.idempotency === null) return undefined;
		if (this.clock.now() - document.idempotency.at > IDEMPOTENCY_TTL) {
			const free = { idempotency_key: NO_KEY, idempotency: null };
			await this.#model.updateOne({ _id: document._id, account_id, idempotency_key }, { $set: free });
			return undefined;
		}
		if (document.idempotency.fingerprint !== fingerprint) throw new ApiError('idempotency_key_reused');
		return document.idempotency.answer;
	}

	/** The booking that holds this `customer_key`; null where none does. */
	async withCustomer(account_id: string, customer_key: string): Promise<BookingDocument | null> {
		const [found] = await findPlain(this.#model, { account_id, customer_key }, { limit: 1 });
		return found ?? null;
	}

	/**
	 * Writes a new booking. Where the answer is lost, `settleInsert` finds out what became of it.
	 * @param lease before whose end the write is to end
	 * @param deadline until which a lost answer is looked for
	 * @throws InsertUnsettled where the outcome stays unknown; after any other error nothing was written, nor will be
	 */
	async insert(document: BookingDocument, lease: Lease | undefined, deadline: Deadline): Promise<InsertOutcome> {
		try {
			return await this.#inserts.ask({ account_id: document.account_id, document, lease });
		} catch (error) {
			if (!mayStillLand(error)) throw error;
			const fate = await this.settleInsert(document, deadline).catch((cause: unknown) => {
				throw new InsertUnsettled(cause);
			});
			if (fate === 'landed') return 'written';
			throw error;
		}
	}

	settleInsert(document: BookingDocument, deadline: Deadline): Promise<'landed' | 'fenced'> {
		return settleInsert(this.#model, document, this.clock, deadline);
	}

	/**
	 * Changes a booking as it was read: compare-and-set on its version and `write_id`, in one write. Where the answer is
	 * lost, `settleChange` finds out what became of it.
	 * @throws gateway_timeout where the outcome stays unknown
	 */
	update(before: BookingDocument, change: BookingUpdate, options: UpdateOptions = {}): Promise<WriteOutcome> {
		return this.untold.around(before, change.outbox ?? [], () => this.#update(before, change, options));
	}

	async #update(before: BookingDocument, change: BookingUpdate, options: UpdateOptions): Promise<WriteOutcome> {
		const { versions = 1, lease, deadline } = options;
		const { outbox, ...fields } = change;
		const { _id, account_id, version, write_id } = before;
		const filter = { _id, account_id, version, write_id, deleted_at: null };
		const update = {
			$set: { ...fields, version: version + versions },
			$push: { outbox: { $each: outbox ?? [] }, last_writes: remembered(fields.write_id, version) },
		};
		const write = async (): Promise<WriteOutcome> => {
			try {
				const { matchedCount } = await retryDeadlock(() => this.#model.updateOne(filter, update, writeLimit([lease])));
				if (matchedCount === 0) return 'stale';
				if (gaveUpSeat(before, fields)) this.onSeatFreed(before, before.seat);
				return 'written';
			} catch (error) {
				if (isDuplicateKey(error)) return 'duplicate key';
				throw error;
			}
		};
		try {
			return await write();
		} catch (error) {
			if (!mayStillLand(error)) throw error;
			const lost = { before: filter, write_id: fields.write_id, write, deadline };
			return withoutDeadline(() => settleChange(this.#model, lost));
		}
	}

	/**
	 * The audit's write: it touches neither `version` nor `updated_at`. Like each write it brings a new `write_id`, so that a
	 * repair whose answer was lost does not land after a later one. Only a fence keeps the one by which it is known.
	 * @returns the booking as it is then; null where nothing was written
	 */
	async repair(before: BookingDocument, fields: Partial<BookingDocument>): Promise<BookingDocument | null> {
		const { _id, account_id, version, write_id } = before;
		const set = { ...fields, write_id: isFence(before) ? write_id : randomBase62(12) };
		try {
			const { matchedCount } = await this.#model.updateOne({ _id, account_id, version, write_id }, { $set: set });
			return matchedCount === 1 ? { ...before, ...set } : null;
		} catch (error) {
			if (isDuplicateKey(error)) return null;
			throw error;
		}
	}

	/** Whether the booking was deleted and nobody knows yet that the client was told so. */
	async isDeletionUnanswered(account_id: string, _id: number): Promise<boolean> {
		return (await this.#model.exists({ _id, account_id, delete_answered: false })) !== null;
	}

	/** Notes that the client was told: a DELETE after it finds nothing. */
	async noteDeletionAnswered(account_id: string, _id: number): Promise<'ok'> {
		await this.#model.updateOne({ _id, account_id, delete_answered: false }, { $set: { delete_answered: true } });
		return 'ok';
	}

	async #findByIds(keys: BookingKey[], projection?: typeof SHOWN): Promise<(BookingDocument | null)[]> {
		const filter = { _id: among(keys.map((key) => key.booking_id)), ...ofAccounts(keys), deleted_at: null };
		const documents = await findPlain(this.#model, filter, projection && { projection });
		const idOf = ({ booking_id }: BookingKey) => booking_id;
		return matchOwned(keys, idOf, documents, ({ _id }) => _id);
	}

	/**
	 * Occurrences of which some are crowded are read in two halves: what is told of one stays in one answer, and none reads
	 * thousands of documents.
	 */
	async #findOccupants(occurrences: Occurrence[]): Promise<(Occupant[] | undefined)[]> {
		const filter = {
			place: among(occurrences.map(({ time_slot_id, date }) => occurrenceName(time_slot_id, date))),
			...ofAccounts(occurrences),
			...SEATED,
		};
		const limit = this.#crowd + Math.ceil((occurrences.length * this.#crowd) / 10);
		const documents = await findPlain(this.#model, filter, { projection: OCCUPANT, limit, hint: 'seats' });
		if (documents.length === limit && occurrences.length > 1) {
			const half = Math.ceil(occurrences.length / 2);
			const first = await this.#findOccupants(occurrences.slice(0, half));
			return [...first, ...(await this.#findOccupants(occurrences.slice(half)))];
		}
		const found = Map.groupBy(documents, (document) => accountKey(document, document.place));
		return occurrences.map((occurrence) => {
			const its = found.get(occurrenceKey(occurrence)) ?? [];
			return its.length > this.#crowd ? undefined : its.map(occupant);
		});
	}

	async #findByKeys(keys: KeyOfClient[]): Promise<(BookingDocument | null)[]> {
		const documents = await findPlain(this.#model, {
			idempotency_key: among(keys.map((one) => one.key)),
			...ofAccounts(keys),
		});
		const keyOf = ({ key }: { key: string }) => key;
		return matchOwned(keys, keyOf, documents, (document) => document.idempotency_key);
	}

	async #insertMany(inserts: Insert[]): Promise<(InsertOutcome | Error)[]> {
		const documents = inserts.map(({ document }) => document);
		const leases = inserts.map(({ lease }) => lease);
		const options = { ordered: false, lean: true, throwOnValidationError: true };
		try {
			await retryDeadlock(() => this.#model.insertMany(documents, { ...options, ...writeLimit(leases) }));
			return documents.map(() => 'written');
		} catch (error) {
			const failures = bulkWriteErrors(error);
			if (failures === undefined) throw error;
			const codes = new Map(failures.map(({ index, code }) => [index, code]));
			return documents.map((_, index) => {
				const code = codes.get(index);
				if (code === undefined) return 'written';
				return code === duplicateKey || code === deadlockDetected ? 'duplicate key' : failureOf(code);
			});
		}
	}
}

/** Of one document: the error of the whole write has the code of its first failure, which may be another document's. */
function failureOf(code: number): Error {
	return Object.assign(new Error(`the store failed with code ${code}`), { code });
}
