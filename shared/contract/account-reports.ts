import type { SubscriptionStatus } from './schemas/provider.ts';

/** An account as operators see it. Times are ISO 8601 UTC, here and below. */
export interface AccountReport {
	/** `acc_…` */
	id: string;
	name: string;
	email: string | null;
	/** Name of its plan */
	package: string;
	subscription_status: SubscriptionStatus;
	/** null: not suspended */
	suspended_at: string | null;
	/** For how many days its bookings are kept after their end; null: until somebody deletes them */
	retention_days: number | null;
	created_at: string;
	updated_at: string;
}

/** An API key, without the key. */
export interface KeyReport {
	/** `key_…` */
	id: string;
	account_id: string;
	name: string;
	scopes: Scope[];
	state: 'active' | 'expired' | 'revoked';
	/** null: never */
	expires_at: string | null;
	revoked_at: string | null;
	/** At most a minute behind; null: never */
	last_used_at: string | null;
	/** The key that it was rolled to */
	replaced_by: string | null;
	created_at: string;
}

/** What an operator may change of a plan; null: no limit. */
export interface PlanFigures {
	/** Requests a second */
	rate: number | null;
	/** Requests at once */
	burst: number | null;
	/** A UTC month, as are bookings */
	requests: number | null;
	bookings: number | null;
	services: number | null;
	/** Whether more than the monthly limits is served, and charged */
	overages: boolean;
}

export interface PlanReport extends PlanFigures {
	name: string;
	updated_at: string;
}

export type LogEvent =
	| 'account.created'
	| 'account.changed'
	| 'account.suspended'
	| 'account.resumed'
	| 'key.created'
	| 'key.rolled'
	| 'key.revoked'
	| 'key.refused'
	| 'package.changed'
	| CommandEvent;

/** What an operator's command tells the log of itself, where no account, key or plan changes. */
export type CommandEvent =
	| 'bookings.repaired'
	| 'webhook.enabled'
	| 'delivery.repeated'
	| 'secrets.rewrapped'
	| 'store.backed_up'
	| 'store.exported'
	| 'store.imported'
	| 'store.reopened';

/** What travels with the calls of an operator's command. */
export interface OperatorMeta {
	/** Who gives it */
	operator?: string;
}

/** A line of the operator log. */
export interface LogEntry {
	id: string;
	at: string;
	event: LogEvent;
	/** null: it is about every account */
	account_id: string | null;
	/** Id of the account or key, or name of the plan, that it happened to */
	subject: string;
	actor: 'bootstrap' | 'operator' | 'gateway';
	/** Who gave the command, as the command line says it; null where no operator did, or an earlier version wrote it */
	by: string | null;
	details: Record<string, unknown>;
}

/** Where a log goes on: behind this entry. */
export type LogCursor = Pick<LogEntry, 'at' | 'id'>;

/** A piece of a list, small enough for one message. */
export interface Page<Row, Cursor> {
	rows: Row[];
	/** null at the end */
	next: Cursor | null;
}

export type Scope = 'read' | 'write';
