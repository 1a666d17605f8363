import { type Connection, type Model, Schema } from 'mongoose';
import type { Provider } from '../../shared/contract/schemas/provider.ts';
import type { Service } from '../../shared/contract/schemas/service.ts';
import { accountScope } from '../../shared/store/account-scope.ts';
import { schemaOptions } from '../../shared/store/schema-options.ts';

/** What an Idempotency-Key remembers: the request's fingerprint, when it came (ms), its first answer. */
export interface IdempotencyRecord {
	fingerprint: string;
	at: number;
	answer: Service;
}

/**
 * What is still to be done for a service, by whoever meets it:
 * - `opening`: it was created, its slots are not yet active
 * - `deleting`: it was deleted, its slots may be active and its bookings are not yet closed
 * - `purging`: it was deleted and everybody knows; its slots' documents are still there
 */
export type Unfinished = '' | 'opening' | 'deleting' | 'purging';

/**
 * A service. Two unique indexes hold what must be true whatever runs at once: `place` (the plan's limit) and
 * `idempotency_key` (one service a key). A service that uses no such key holds the filler `free:<_id>`.
 */
export interface ServiceDocument {
	_id: number;
	account_id: string;
	name: string;
	description: string | null;
	timezone: string;
	/** `<account>:<number>` while it counts against the plan, or `<account>:id<_id>` where it was made without a limit */
	place: string;
	/** `<account>:<operation>:<key>` for at least 24 h */
	idempotency_key: string;
	idempotency: IdempotencyRecord | null;
	unfinished: Unfinished;
	version: number;
	/** Random: a creator knows its own document by it after an unknown outcome */
	write_id: string;
	created_at: string;
	updated_at: string;
	/** Kept as a tombstone from then on; null: not deleted */
	deleted_at: string | null;
	/** Whether the answer of a DELETE was sent; until then one may be repeated */
	delete_answered: boolean;
	/** When the tombstone may go, ms; 0 where it is none */
	remove_at: number;
}

export type ServiceModel = Model<ServiceDocument>;

const text = { type: String, required: true } as const;
const number = { type: Number, required: true } as const;

const schema = new Schema<ServiceDocument>(
	{
		_id: number,
		account_id: text,
		name: text,
		description: { type: String, default: null },
		timezone: text,
		place: text,
		idempotency_key: text,
		idempotency: { type: Schema.Types.Mixed, default: null },
		unfinished: { type: String, default: '' },
		version: number,
		write_id: text,
		created_at: text,
		updated_at: text,
		deleted_at: { type: String, default: null },
		delete_answered: { type: Boolean, default: false },
		remove_at: { type: Number, default: 0 },
	},
	schemaOptions,
);
schema.index({ place: 1 }, { unique: true, name: 'place' });
schema.index({ idempotency_key: 1 }, { unique: true, name: 'idempotency_key' });
schema.index({ account_id: 1, deleted_at: 1, _id: 1 }, { name: 'listed' });
schema.index({ unfinished: 1, account_id: 1 }, { name: 'unfinished' });
schema.index({ remove_at: 1 }, { name: 'remove_at' });
schema.plugin(accountScope);

export function serviceModel(connection: Connection): ServiceModel {
	return connection.model<ServiceDocument>('Service', schema, 'services');
}

/** Fills a unique key that this service does not use. */
export function filler(id: number): string {
	return `free:${id}`;
}

/** What the API shows of a service; the order of the fields is part of the interface. */
export function toService(document: ServiceDocument, provider: Provider, bookingsCount: number): Service {
	return {
		id: document._id,
		name: document.name,
		description: document.description,
		timezone: document.timezone,
		bookings_count: bookingsCount,
		provider,
		provider_id: document.account_id,
		version: document.version,
		created_at: document.created_at,
		updated_at: document.updated_at,
	};
}
