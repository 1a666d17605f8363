import type { Connection, Model } from 'mongoose';
import type { DirectoryEntry, Scoped } from '../../shared/contract/actions.ts';
import type { Person } from '../../shared/contract/person.ts';
import { findPlain } from '../../shared/store/find-plain.ts';
import { insertNew } from '../../shared/store/insert-new.ts';
import { modelOf, number, text } from '../../shared/store/model.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { removeEverywhere } from '../../shared/store/remove-everywhere.ts';
import { retryDeadlock } from '../../shared/store/write-errors.ts';
import { MARKER_KEPT } from './customer-store.ts';
import { personKey } from './person-key.ts';

/**
 * That a booking was for somebody, once it is deleted or for somebody else: by it an export or an erasure finds the events that
 * say so. It has a hash of the address, and goes when the events have gone.
 */
interface FormerCustomer {
	/** `<booking>:<key>` */
	_id: string;
	account_id: string;
	booking_id: number;
	key: string;
	/** ms */
	noted_at: number;
}

export const formerModel = modelOf<FormerCustomer>('FormerCustomer', 'former_customers', {
	fields: { _id: text, account_id: text, booking_id: number, key: text, noted_at: number },
	indexes: { of_person: { account_id: 1, key: 1, booking_id: 1 }, age: { noted_at: 1 } },
});

/** Every read and write of whom bookings were for. */
export class FormerCustomers {
	readonly model: Model<FormerCustomer>;

	constructor(connection: Connection) {
		this.model = formerModel(connection);
	}

	prepare(): Promise<void> {
		return prepareModels([this.model]);
	}

	/** @param now ms */
	async note(entries: readonly DirectoryEntry[], now: number): Promise<void> {
		const rows = entries.flatMap(({ account_id, booking_id, former = [] }) =>
			former.map((person): FormerCustomer => {
				const key = personKey(person);
				return { _id: `${booking_id}:${key}`, account_id, booking_id, key, noted_at: now };
			}),
		);
		await insertNew(this.model, [...new Map(rows.map((row) => [row._id, row])).values()]);
	}

	/** Ids above `after` of bookings that were for a person, ascending. */
	async bookingsOf({ account_id }: Scoped, person: Person, after: number, limit: number): Promise<number[]> {
		const filter = { account_id, key: personKey(person), booking_id: { $gt: after } };
		const window = { hint: 'of_person', sort: { booking_id: 1 }, limit, projection: { booking_id: 1 } } as const;
		return (await findPlain(this.model, filter, window)).map(({ booking_id }) => booking_id);
	}

	async forget({ account_id }: Scoped, person: Person, booking_ids: number[]): Promise<void> {
		const filter = { account_id, key: personKey(person), booking_id: { $in: booking_ids } };
		await retryDeadlock(() => this.model.deleteMany(filter));
	}

	/** Removes what was noted before the oldest events that are kept. @param now ms */
	async removeOld(now: number, signal?: AbortSignal): Promise<void> {
		await removeEverywhere(this.model, { noted_at: { $lt: now - MARKER_KEPT } }, signal);
	}
}
