import { type Connection, type Model, type QueryFilter, Schema } from 'mongoose';
import { accountKey } from '../../shared/contract/actions/common.ts';
import type { DirectoryEntry, Scoped } from '../../shared/contract/actions.ts';
import { normalisedEmail, type Person } from '../../shared/contract/person.ts';
import type { BookingStatus, Customer } from '../../shared/contract/schemas/booking.ts';
import type { CustomerFilters, DirectoryCustomer } from '../../shared/contract/schemas/customer.ts';
import { SKEW } from '../../shared/engine/clock.ts';
import { boundedCount } from '../../shared/store/bounded-count.ts';
import { findPlain } from '../../shared/store/find-plain.ts';
import { modelOf, number, text } from '../../shared/store/model.ts';
import { prepareModels } from '../../shared/store/prepare-models.ts';
import { removeEverywhere } from '../../shared/store/remove-everywhere.ts';
import { bulkWriteErrors, retryDeadlock } from '../../shared/store/write-errors.ts';

/**
 * ms that a deleted customer's marker is kept: 31 days, a day longer than the event log keeps what a stalled relay could
 * still bring.
 */
export const MARKER_KEPT = 31 * 24 * 3_600_000 + SKEW;

/** The customer of one booking; once the booking is deleted, a marker without personal data, until that is swept. */
export interface CustomerDocument {
	/** The booking's id, which is the customer's as well */
	_id: number;
	account_id: string;
	/** The version of the booking that this comes from; an older one never replaces it */
	version: number;
	service_id: number;
	date: string;
	status: BookingStatus;
	/** null in a marker */
	customer: Customer | null;
	/** The address in lower case; '' without one */
	email_key: string;
	/** When the marker was made, ms; 0 where there is a customer */
	deleted_at: number;
}

type CustomerModel = Model<CustomerDocument>;

export const customerModel = modelOf<CustomerDocument>('Customer', 'customers', {
	fields: {
		_id: number,
		account_id: text,
		version: number,
		service_id: number,
		date: text,
		status: text,
		customer: { type: Schema.Types.Mixed, default: null }, // written whole by typed code
		email_key: { type: String, default: '' },
		deleted_at: number,
	},
	indexes: {
		listed: { account_id: 1, deleted_at: 1, _id: 1 },
	},
	partial: {
		with_email: { key: { account_id: 1, email_key: 1, _id: 1 }, above: { email_key: '' } },
		with_phone: { key: { account_id: 1, 'customer.phone': 1, _id: 1 }, above: { 'customer.phone': '' } },
		markers: { key: { deleted_at: 1 }, above: { deleted_at: 0 } },
	},
});

/** @param now ms */
export function toDocument(entry: DirectoryEntry, now: number): CustomerDocument {
	return {
		_id: entry.booking_id,
		account_id: entry.account_id,
		version: entry.version,
		service_id: entry.service_id,
		date: entry.date,
		status: entry.status,
		customer: entry.customer,
		email_key: entry.customer?.email == null ? '' : normalisedEmail(entry.customer.email),
		deleted_at: entry.customer === null ? now : 0,
	};
}

/** What the API shows of an entry; the order of the fields is part of the interface. */
function toEntry({ _id, service_id, date, status, customer }: CustomerDocument): DirectoryCustomer {
	const { id, name, email, phone } = customer!;
	return { id, name, email, phone, booking_id: _id, service_id, date, status };
}

type Filter = QueryFilter<CustomerDocument>;

/** What is asked for, and the index that has it. */
function indexed({ account_id }: Scoped, { email, phone }: CustomerFilters): { hint: string; filter: Filter } {
	if (email === undefined && phone === undefined) return { hint: 'listed', filter: { account_id, deleted_at: 0 } };
	const byEmail = email === undefined ? {} : { email_key: normalisedEmail(email) };
	const byPhone = phone === undefined ? {} : { 'customer.phone': phone };
	return { hint: email === undefined ? 'with_phone' : 'with_email', filter: { account_id, ...byEmail, ...byPhone } };
}

/** Every read and write of the directory of customers. */
export class CustomerStore {
	readonly model: CustomerModel;

	constructor(connection: Connection) {
		this.model = customerModel(connection);
	}

	/** The collection and its indexes, verified: to be awaited before any traffic (promise L9). */
	prepare(): Promise<void> {
		return prepareModels([this.model]);
	}

	/** The newest first, and how many there are; that is exact up to 10,000. */
	async list(
		scope: Scoped,
		filters: CustomerFilters,
		{ offset: skip, below, limit }: { offset: number; below?: number | undefined; limit: number },
	): Promise<{ customers: DirectoryCustomer[]; total_items: number }> {
		const { hint, filter } = indexed(scope, filters);
		const [documents, total_items] = await Promise.all([
			below === undefined
				? findPlain(this.model, filter, { hint, sort: { _id: -1 }, skip, limit })
				: findPlain(this.model, { ...filter, _id: { $lt: below } }, { hint, sort: { _id: -1 }, limit }),
			boundedCount(this.model, filter, accountKey(scope, JSON.stringify(filter)), hint),
		]);
		return { customers: documents.map(toEntry), total_items };
	}

	/** Ids above `after` of the bookings that are for a person, ascending. */
	async bookingsOf({ account_id }: Scoped, { kind, value }: Person, after: number, limit: number): Promise<number[]> {
		const { hint, filter } = indexed({ account_id }, kind === 'email' ? { email: value } : { phone: value });
		const window = { hint, sort: { _id: 1 }, limit, projection: { _id: 1 } } as const;
		return (await findPlain(this.model, { ...filter, _id: { $gt: after } }, window)).map(({ _id }) => _id);
	}

	/** Takes a person out of entries that still name the person: those that no booking can bring up to date. */
	async erase({ account_id }: Scoped, { kind, value }: Person, ids: number[]): Promise<void> {
		const { filter } = indexed({ account_id }, kind === 'email' ? { email: value } : { phone: value });
		const nobody = { 'customer.name': null, 'customer.email': null, 'customer.phone': null };
		const update = { $set: { email_key: '', ...nobody } };
		await retryDeadlock(() => this.model.updateMany({ ...filter, _id: { $in: ids } }, update));
	}

	/** The versions that are there, by booking. */
	async versionsOf(account_id: string, ids: number[]): Promise<Map<number, number>> {
		const found = await this.model.find({ account_id, _id: { $in: ids } }, { version: 1 }).lean();
		return new Map(found.map(({ _id, version }) => [_id, version]));
	}

	/** @returns those that were refused: another writer inserted them meanwhile, or there was a deadlock */
	async insertNew(documents: CustomerDocument[]): Promise<CustomerDocument[]> {
		if (documents.length === 0) return [];
		try {
			await retryDeadlock(() => this.model.insertMany(documents, { ordered: false, lean: true }));
			return [];
		} catch (error) {
			const refused = bulkWriteErrors(error);
			if (refused === undefined) throw error;
			return refused.map(({ index }) => documents[index]!);
		}
	}

	/** Compare-and-set. @returns those that another writer brought to this version or a newer one meanwhile */
	async replaceOlder(documents: CustomerDocument[]): Promise<CustomerDocument[]> {
		const replaced = await Promise.all(
			documents.map(async ({ _id, account_id, ...fields }) => {
				const older = { _id, account_id, version: { $lt: fields.version } };
				return (await this.model.updateOne(older, { $set: fields })).matchedCount === 1;
			}),
		);
		return documents.filter((_, index) => !replaced[index]);
	}

	/**
	 * Removes the markers of every account that are kept no longer. Any number of processes may do this at once.
	 * @param now ms
	 * @param signal ends it early
	 * @returns how many were removed
	 */
	removeMarkers(now: number, signal?: AbortSignal): Promise<number> {
		const expired = { deleted_at: { $gt: 0, $lt: now - MARKER_KEPT } };
		return removeEverywhere(this.model, expired, signal);
	}
}
