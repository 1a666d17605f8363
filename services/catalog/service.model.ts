import { type Model, Schema } from 'mongoose';
import { type AccountKey, accountKey } from '../../shared/contract/actions/common.ts';
import type { ServiceKey } from '../../shared/contract/actions.ts';
import type { DateOverride } from '../../shared/contract/schemas/date-override.ts';
import type { Metadata } from '../../shared/contract/schemas/metadata.ts';
import type { Provider } from '../../shared/contract/schemas/provider.ts';
import { NO_RULES, type Rules } from '../../shared/contract/schemas/rules.ts';
import type { Service, UpdateService } from '../../shared/contract/schemas/service.ts';
import { SKEW, timestamp } from '../../shared/engine/clock.ts';
import { modelOf, number, text } from '../../shared/store/model.ts';
import type { Replacement } from './schedule/slot.model.ts';

const DAY = 24 * 60 * 60 * 1000; // ms

/** ms that the first answer under an Idempotency-Key is kept, and so a deleted service: 24 h by every process' clock */
export const IDEMPOTENCY_TTL = DAY + SKEW;
/** ms that a fence stays: far longer than a process can be stopped between two writes and then go on. */
const FENCE_TTL = 7 * DAY;

/** What an Idempotency-Key remembers: the request's fingerprint, when it came (ms), its first answer. */
export interface IdempotencyRecord {
	fingerprint: string;
	at: number;
	answer: Service;
}

/**
 * What is still to be done for a service. Whoever meets the service does it, and any number of processes may at once.
 * - `opening`: the service was created, but its slots are not yet active
 * - `deleting`: the service was deleted, but its slots may be active, and booking has not closed it
 * - `purging`: the service was deleted and booking has closed it, but the documents of its slots are still there
 * - `replacing`: its schedule was replaced, but its slots are not yet changed
 */
export type Unfinished = '' | 'opening' | 'deleting' | 'purging' | 'replacing';

/** What is left to do once a step is done. */
export const NEXT: Record<Exclude<Unfinished, '' | 'replacing'>, Unfinished> = {
	opening: '',
	deleting: 'purging',
	purging: '',
};

/**
 * A service. Two unique indexes hold what must be true whatever runs at once: `place` (no more services than the plan
 * allows) and `idempotency_key` (one service for each key). A service that uses one of them no more, or never did, holds
 * the filler `free:<_id>` there.
 */
export interface ServiceDocument {
	_id: number;
	account_id: string;
	name: string;
	description: string | null;
	timezone: string;
	/** Missing where there never was any */
	rules?: Rules;
	/** Only `OverrideStore` reads them. Missing, as the next two, where there never was any */
	overrides?: DateOverride[];
	/** Grows by 1 with each change of them */
	overrides_version?: number;
	overrides_changed_at?: string;
	/** What the schedule's version counts beside slots and overrides (`versionOf`); may be negative. Missing: 0 */
	schedule_version?: number;
	/**
	 * Which replacement of the schedule was committed last: its sequence among the account's slot updates. The slots of the
	 * schedule carry the same number. Missing: none, 0
	 */
	generation?: number;
	/** What that one does to the slots, while it is `replacing`. Only `ReplacementStore` reads it */
	replacement?: Replacement;
	/** Which replacement was last kept from being committed, by its sequence: nor is any other that was begun before */
	broken_off?: number;
	/** Missing where there never was any */
	metadata?: Metadata;
	/**
	 * Its allotment, under the name that the field had first: `<account>:<number>` while the service counts against the
	 * plan, or `<account>:id<_id>` where the plan had no limit when it was made
	 */
	place: string;
	/** `<account>:service.create:<key>` for at least 24 h */
	idempotency_key: string;
	idempotency: IdempotencyRecord | null;
	unfinished: Unfinished;
	version: number;
	/** Random: after an unknown outcome, a creator knows its own document by it */
	write_id: string;
	created_at: string;
	updated_at: string;
	/** null: not deleted. Once it is set, the document is a tombstone */
	deleted_at: string | null;
	/** Whether a client was sent the answer of a DELETE; until then a repeated one is answered `ok`, too */
	delete_answered: boolean;
	/** When the tombstone may go, ms; 0 while the service is not deleted */
	remove_at: number;
}

export type ServiceModel = Model<ServiceDocument>;

const fields = {
	_id: number,
	account_id: text,
	name: text,
	description: { type: String, default: null },
	timezone: text,
	rules: { type: Schema.Types.Mixed, default: undefined },
	overrides: { type: Schema.Types.Mixed, default: undefined },
	overrides_version: Number,
	overrides_changed_at: String,
	schedule_version: Number,
	generation: Number,
	replacement: { type: Schema.Types.Mixed, default: undefined },
	broken_off: Number,
	metadata: { type: Schema.Types.Mixed, default: undefined },
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
} as const;

/** What is read of a service: overrides may be a megabyte, a replacement 200 KB. */
export const WITHOUT_LONG_FIELDS = Object.fromEntries(
	Object.keys(fields)
		.filter((name) => name !== 'overrides' && name !== 'replacement')
		.map((name) => [name, 1 as const]),
) as { [field in keyof ServiceDocument]?: 1 };

export const serviceModel = modelOf<ServiceDocument>('Service', 'services', {
	fields,
	unique: {
		place: { place: 1 },
		idempotency_key: { idempotency_key: 1 },
	},
	indexes: {
		listed: { account_id: 1, deleted_at: 1, _id: 1 },
		unfinished: { unfinished: 1, account_id: 1 },
		remove_at: { remove_at: 1 },
	},
});

type Changeable = Exclude<keyof UpdateService, 'version'>;

/** What a PATCH can change, as it is stored. It does not compile until it names each field of `UpdateService`. */
export function changeable({
	name,
	description,
	timezone,
	rules = NO_RULES,
	metadata = {},
}: Pick<ServiceDocument, Changeable>): Required<Pick<ServiceDocument, Changeable>> {
	return { name, description, timezone, rules, metadata };
}

/** What the changes of one service queue by. */
export function serviceKey(service: ServiceKey): AccountKey {
	return accountKey(service, service.service_id);
}

/** Fills a unique key that this service does not use. */
export function filler(id: number): string {
	return `free:${id}`;
}

export function idempotencyKeyOf(account_id: string, key: string): string {
	return `${account_id}:service.create:${key}`;
}

/** Unit `number`, from 0, of what an account's plan allows. */
export function allotment(account_id: string, number: number): string {
	return `${account_id}:${number}`;
}

/** In place of an allotment, where the plan has no limit. */
export function withoutLimit(account_id: string, service_id: number): string {
	return `${account_id}:id${service_id}`;
}

/** What deleting a service changes in its document. From there on it is gone for readers, and its allotment is free. */
export function deletion(id: number, now: number) {
	return {
		deleted_at: timestamp(now),
		unfinished: 'deleting' as const,
		place: filler(id),
		remove_at: now + IDEMPOTENCY_TTL,
	};
}

/** A tombstone that takes the id of a service which never came, so that it cannot come any more. */
export function fence(account_id: string, id: number, now: number): ServiceDocument {
	return {
		_id: id,
		account_id,
		name: '',
		description: null,
		timezone: '',
		place: filler(id),
		idempotency_key: filler(id),
		idempotency: null,
		unfinished: '',
		version: 0,
		write_id: '',
		created_at: timestamp(now),
		updated_at: timestamp(now),
		deleted_at: timestamp(now),
		delete_answered: true,
		remove_at: now + FENCE_TTL,
	};
}

/** What the API shows of a service. The order of the fields is part of the interface. */
export function toService(document: ServiceDocument, provider: Provider, bookingsCount: number): Service {
	return {
		id: document._id,
		name: document.name,
		description: document.description,
		timezone: document.timezone,
		rules: document.rules ?? NO_RULES,
		metadata: document.metadata ?? {},
		bookings_count: bookingsCount,
		provider,
		provider_id: document.account_id,
		version: document.version,
		created_at: document.created_at,
		updated_at: document.updated_at,
	};
}
