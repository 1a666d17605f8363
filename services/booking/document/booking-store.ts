import { type AccountKey, accountKey } from '../../../shared/contract/account-key.ts';
import type { Scoped, ServiceKey } from '../../../shared/contract/actions.ts';
import { matchOwned } from '../../../shared/engine/by-account.ts';
import type { Clock } from '../../../shared/engine/clock.ts';
import { Gatherer } from '../../../shared/engine/gatherer.ts';
import type { Lease } from '../../../shared/lock/fair-lock.ts';
import { Counter, counterModel } from '../../../shared/store/counter.ts';
import { findPlain } from '../../../shared/store/find-plain.ts';
import { bulkWriteErrors, isDuplicateKey, mayStillLand, retryDeadlock } from '../../../shared/store/write-errors.ts';
import { type Deadline, withoutDeadline } from '../../../shared/work/deadline.ts';
import { type BookingDocument, type BookingModel, filler, type OutboxEntry } from './booking.model.ts';
import { type Occupant, seatOf } from './capacity.ts';
import type { ClosureDocument, ClosureModel } from './closures.ts';
import { type ChangeOutcome, remembered, settleChange } from './settle-change.ts';
import { writeLimit } from './write-limit.ts';

interface BookingKey extends Scoped {
	booking_id: number;
}

interface Insert extends Scoped {
	document: BookingDocument;
	lease: Lease | undefined;
}

/** What a change writes: the fields that it sets, and the event that it adds to the outbox. */
export type Change = Partial<BookingDocument>;

interface UpdateOptions {
	versions?: number;
	lease?: Lease | undefined;
	deadline?: Deadline | undefined;
}

/** What is in the outbox after a change at most: the relay may have delivered the earlier entries meanwhile. */
export function outboxAfter(before: BookingDocument, ...entries: OutboxEntry[]): OutboxEntry[] {
	return [...before.outbox, ...entries];
}

/** Every read and write of bookings. What arrives together shares one statement (group commit). */
export class BookingStore {
	readonly model: BookingModel;
	readonly closures: ClosureModel;
	readonly clock: Clock;
	readonly #ids: Counter;
	readonly #byId: Gatherer<BookingKey, BookingDocument | null>;
	readonly #occupants: Gatherer<Scoped & { place: string }, Occupant[]>;
	readonly #byIdempotencyKey: Gatherer<Scoped & { key: string }, BookingDocument | null>;
	readonly #closed: Gatherer<ServiceKey, boolean>;
	readonly #inserts: Gatherer<Insert, 'written' | 'taken'>;

	constructor(model: BookingModel, closures: ClosureModel, clock: Clock) {
		this.model = model;
		this.closures = closures;
		this.clock = clock;
		this.#ids = new Counter(counterModel(model.db, 'booking_counters'), 'bookings');
		this.#byId = new Gatherer((keys) => this.#findByIds(keys));
		this.#occupants = new Gatherer((keys) => this.#findOccupants(keys));
		this.#byIdempotencyKey = new Gatherer((keys) => this.#findByIdempotencyKeys(keys));
		this.#closed = new Gatherer((keys) => this.#findClosed(keys));
		this.#inserts = new Gatherer((inserts) => this.#insertMany(inserts));
	}

	/** The next booking id: small integers, in order of creation within about a second. */
	nextId(): Promise<number> {
		return this.#ids.nextIds(1);
	}

	/** The booking as it is now; null where there is none, where it is deleted, or where it is another account's. */
	find(account_id: string, booking_id: number): Promise<BookingDocument | null> {
		return this.#byId.ask({ account_id, booking_id });
	}

	occupants(key: Scoped & { place: string }): Promise<Occupant[]> {
		return this.#occupants.ask(key);
	}

	/** The booking, be it deleted, that was made under this key. */
	findByIdempotencyKey(account_id: string, key: string): Promise<BookingDocument | null> {
		return this.#byIdempotencyKey.ask({ account_id, key });
	}

	isClosed(account_id: string, service_id: number): Promise<boolean> {
		return this.#closed.ask({ account_id, service_id });
	}

	/**
	 * @param lease before whose end the write is to end
	 * @returns `taken` where a unique index refused it; a rejection leaves the outcome unknown
	 */
	insert(document: BookingDocument, lease?: Lease): Promise<'written' | 'taken'> {
		return this.#inserts.ask({ account_id: document.account_id, document, lease });
	}

	/**
	 * Changes a booking as it was read: compare-and-set on its version and `write_id`, in one write. Where the answer is
	 * lost, `settleChange` finds out what became of it.
	 * @param versions how many changes it makes at once, each with its event in the outbox; default 1
	 * @param lease before whose end the write is to end
	 * @param deadline after which nothing is written any more; where there is none, a lost answer is settled all the same
	 * @returns `stale` where the booking changed since, `taken` where a unique index refused it: then nothing was
	 *   written, nor will be
	 * @throws gateway_timeout where the outcome stays unknown
	 */
	async update(
		before: BookingDocument,
		change: Change & { write_id: string },
		{ versions = 1, lease, deadline }: UpdateOptions = {},
	): Promise<ChangeOutcome> {
		const { outbox, ...fields } = change;
		const { _id, account_id, version, write_id } = before;
		const filter = { _id, account_id, version, write_id, deleted_at: null };
		const update = {
			$set: { ...fields, version: version + versions },
			$push: { outbox: { $each: outbox ?? [] }, last_writes: remembered(change.write_id, version) },
		};
		const write = async (): Promise<ChangeOutcome> => {
			try {
				const { matchedCount } = await retryDeadlock(() => this.model.updateOne(filter, update, writeLimit([lease])));
				return matchedCount === 1 ? 'written' : 'stale';
			} catch (error) {
				if (isDuplicateKey(error)) return 'taken';
				throw error;
			}
		};
		try {
			return await write();
		} catch (error) {
			if (!mayStillLand(error)) throw error;
			const lost = { before, write_id: change.write_id, filter, write, deadline };
			return withoutDeadline(() => settleChange(this.model, lost));
		}
	}

	/**
	 * What has this id: the booking, for its creator's write went through, whoever changed it since; the fence against that
	 * write; or nothing that can be seen yet.
	 */
	async holderOf({
		_id,
		account_id,
	}: Pick<BookingDocument, '_id' | 'account_id'>): Promise<'booking' | 'fence' | null> {
		const found = await this.model.findOne({ _id, account_id }).select({ write_id: 1 }).lean();
		if (found === null) return null;
		return found.write_id === filler(_id) ? 'fence' : 'booking';
	}

	/** Whether a booking holds this `customer_key`. */
	async hasCustomer(account_id: string, customer_key: string): Promise<boolean> {
		return (await this.model.exists({ account_id, customer_key })) !== null;
	}

	/** Lets a key that is older than 24 h be used again. */
	async freeIdempotencyKey(document: BookingDocument, filler: string): Promise<void> {
		const { _id, account_id, idempotency_key } = document;
		await this.model.updateOne(
			{ _id, account_id, idempotency_key },
			{ $set: { idempotency_key: filler, idempotency: null } },
		);
	}

	async #findByIds(keys: BookingKey[]): Promise<(BookingDocument | null)[]> {
		const documents = await findPlain(this.model, {
			_id: { $in: unique(keys.map((key) => key.booking_id)) },
			account_id: { $in: unique(keys.map((key) => key.account_id)) },
			deleted_at: null,
		});
		const idOf = (key: BookingKey) => key.booking_id;
		return matchOwned(keys, idOf, documents, (document) => document._id);
	}

	async #findOccupants(keys: (Scoped & { place: string })[]): Promise<Occupant[][]> {
		const filter = {
			place: { $in: unique(keys.map((key) => key.place)) },
			account_id: { $in: unique(keys.map((key) => key.account_id)) },
		};
		const projection = { account_id: 1, place: 1, seat_key: 1, customer_key: 1 } as const;
		const documents = await findPlain(this.model, filter, { projection });
		const found = new Map<AccountKey, Occupant[]>(keys.map((key) => [accountKey(key, key.place), []]));
		for (const document of documents) {
			const { _id, place, seat_key, customer_key } = document;
			found.get(accountKey(document, place))?.push({ id: _id, seat: seatOf(seat_key), customerKey: customer_key });
		}
		return keys.map((key) => found.get(accountKey(key, key.place))!);
	}

	async #findByIdempotencyKeys(keys: (Scoped & { key: string })[]): Promise<(BookingDocument | null)[]> {
		const documents = await findPlain(this.model, {
			idempotency_key: { $in: unique(keys.map((one) => one.key)) },
			account_id: { $in: unique(keys.map((one) => one.account_id)) },
		});
		const keyOf = ({ key }: { key: string }) => key;
		return matchOwned(keys, keyOf, documents, (document) => document.idempotency_key);
	}

	async #findClosed(keys: ServiceKey[]): Promise<boolean[]> {
		const marks = await this.closures
			.find({
				_id: { $in: unique(keys.map((key) => key.service_id)) },
				account_id: { $in: unique(keys.map((key) => key.account_id)) },
			})
			.select({ account_id: 1 })
			.lean<Pick<ClosureDocument, '_id' | 'account_id'>[]>();
		const idOf = (key: ServiceKey) => key.service_id;
		return matchOwned(keys, idOf, marks, (mark) => mark._id).map((mark) => mark !== null);
	}

	async #insertMany(inserts: Insert[]): Promise<('written' | 'taken' | Error)[]> {
		const documents = inserts.map(({ document }) => document);
		const leases = inserts.map(({ lease }) => lease);
		const options = { ordered: false, lean: true, throwOnValidationError: true };
		try {
			await retryDeadlock(() => this.model.insertMany(documents, { ...options, ...writeLimit(leases) }));
			return documents.map(() => 'written');
		} catch (error) {
			const failures = bulkWriteErrors(error);
			if (failures === undefined) throw error;
			const codes = new Map(failures.map(({ index, code }) => [index, code]));
			return documents.map((_, index) => {
				const code = codes.get(index);
				if (code === undefined) return 'written';
				return code === DUPLICATE_KEY || code === DEADLOCK ? 'taken' : failureOf(code);
			});
		}
	}
}

const DUPLICATE_KEY = 11_000;
const DEADLOCK = 16_908_292; // racing inserts of one unique key, on a compatible server: nothing was written

/** Of one document: the error of the whole write has the code of its first failure, which may be another document's. */
function failureOf(code: number): Error {
	return Object.assign(new Error(`the store failed with code ${code}`), { code });
}

function unique<T>(values: T[]): T[] {
	return values.length === 1 ? values : [...new Set(values)];
}
