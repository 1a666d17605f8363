import type { ServiceBroker } from 'moleculer';
import { call } from '../../../shared/bus/call.ts';
import type { DirectoryEntry } from '../../../shared/contract/actions.ts';
import { isSamePerson, type Person, personsOf } from '../../../shared/contract/person.ts';
import type { Customer } from '../../../shared/contract/schemas/booking.ts';
import type { Clock } from '../../../shared/engine/clock.ts';
import type { BookingDocument } from '../document/booking.model.ts';
import { messagesOf } from './messages.ts';

const TIMEOUT = 2_000; // ms

/** What came of a record. */
export interface Recorded {
	known: BookingDocument[];
	/** Of which it knows nothing, or nobody can tell */
	unknown: BookingDocument[];
	/** Why */
	failure?: unknown;
}

/** The customers' directory, which hears of a booking once the log has its events. */
export class Directory {
	readonly #broker: ServiceBroker;
	readonly #clock: Clock;
	#away: { until: number; failure: unknown } | undefined;

	constructor(broker: ServiceBroker, clock: Clock) {
		this.#broker = broker;
		this.#clock = clock;
	}

	/** Never rejects: events do not wait for the directory. */
	async record(documents: BookingDocument[]): Promise<Recorded> {
		const recorded: Recorded = { known: [], unknown: [] };
		const byId = new Map(documents.map((document) => [document._id, document]));
		for (const entries of messagesOf(this.#broker, documents.map(directoryEntry))) {
			const own = entries.map(({ booking_id }) => byId.get(booking_id)!);
			try {
				await this.#tell(entries);
				recorded.known.push(...own);
			} catch (error) {
				recorded.unknown.push(...own);
				recorded.failure = error;
			}
		}
		return recorded;
	}

	/** A directory that fails is asked nothing for as long as that took: so half of the time no events wait for it. */
	async #tell(entries: DirectoryEntry[]): Promise<void> {
		const began = this.#clock.monotonic();
		if (this.#away !== undefined && began < this.#away.until) throw this.#away.failure;
		try {
			await call(this.#broker, 'customer.record', { entries }, { timeout: TIMEOUT });
			this.#away = undefined;
		} catch (failure) {
			const failed = this.#clock.monotonic();
			this.#away = { until: failed + (failed - began), failure };
			throw failure;
		}
	}
}

function directoryEntry(document: BookingDocument): DirectoryEntry {
	const { account_id, _id: booking_id, version, service_id, date, status, deleted_at } = document;
	const customer = deleted_at === null ? document.customer : null;
	const former = formerOf(document);
	const entry = { account_id, booking_id, version, service_id, date, status, customer };
	return former.length === 0 ? entry : { ...entry, former };
}

/**
 * Whom its events and its first answer tell of that the entry does not: by them these are found once its customer is another.
 * @returns each of them once
 */
export function formerOf(document: BookingDocument): Person[] {
	const { outbox, idempotency, deleted_at } = document;
	const now: Customer | null = deleted_at === null ? document.customer : null;
	const told = [document.customer, idempotency?.answer.customer];
	for (const { data, previous } of outbox) told.push(data?.customer, previous?.customer);
	const others = told.filter((one) => one != null && (one.email !== now?.email || one.phone !== now?.phone));
	const known = now === null ? [] : personsOf(now);
	const former = new Map(others.flatMap((one) => personsOf(one!)).map((one) => [`${one.kind} ${one.value}`, one]));
	return [...former.values()].filter((one) => !known.some((each) => isSamePerson(each, one)));
}
