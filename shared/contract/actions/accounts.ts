import type {
	AccountReport,
	CommandEvent,
	KeyReport,
	LogCursor,
	LogEntry,
	Page,
	PlanFigures,
	PlanReport,
	Scope,
} from '../account-reports.ts';
import type { Refused } from '../refused.ts';
import type { Provider, SubscriptionStatus } from '../schemas/provider.ts';
import type { AccountUsage } from '../schemas/usage.ts';
import type { Scoped } from './common.ts';

/** Providers, their keys and plans, and what they used of them. */
export interface AccountsActions {
	/** Who a key belongs to; null where it is unknown, revoked or expired. `hash`: SHA-256 of the key, hex. */
	'accounts.verifyKey': { params: { hash: string }; result: Principal | null };
	/** How many changes of accounts, keys and plans were acknowledged: while it stays the same, what keys told holds. */
	'accounts.changes': { params: Record<string, never>; result: { count: number } };
	'accounts.isSuspended': { params: Scoped; result: boolean };
	'accounts.provider': { params: Scoped; result: Provider };
	/** Reserves up to `count` bookings of the month's quota. */
	'accounts.reserveBookings': {
		params: Scoped & { count: number; month: string; by: string; number: number; again?: boolean };
		result: { granted: number };
	};
	/** Gives back what is known not to have been booked. Repeatable under its `number`, which grows in each process (`by`). */
	'accounts.releaseBookings': {
		params: Scoped & { count: number; month: string; by: string; number: number };
		result: 'ok';
	};
	/** What a gateway let through since its last report; at most 500 of them. Repeatable under its id, `report`. */
	'accounts.recordRequests': { params: { report: string; counts: RequestCount[] }; result: RequestCount[] };
	/** Accounts that keep their bookings for a time only, by their ids, a page after the id `after`. */
	'accounts.retentions': { params: { after?: string }; result: Page<string, string> };
	/** For how many days an account keeps its bookings after their end; null: for ever. */
	'accounts.retention': { params: Scoped; result: { days: number | null } };
	/** The current month's, or that of `month` (`YYYY-MM`); null where there is no such account. */
	'accounts.usage': { params: Scoped & { month?: string }; result: AccountUsage | null };
	/** For operators, as are the next ones. Accounts by id, a page after the id `after`. */
	'accounts.listAccounts': { params: { after?: string }; result: Page<AccountReport, string> };
	'accounts.showAccount': {
		params: Scoped;
		result: { account: AccountReport; package: PlanReport } | Refused;
	};
	'accounts.createAccount': {
		params: { name: string; email: string; package: string };
		result: AccountReport | Refused;
	};
	'accounts.setAccount': {
		params: Scoped & { package?: string; subscription?: SubscriptionStatus; retention_days?: number | null };
		result: AccountReport | Refused;
	};
	/** `suspended: false` resumes it. */
	'accounts.suspendAccount': { params: Scoped & { suspended: boolean }; result: AccountReport | Refused };
	'accounts.listKeys': { params: Scoped & { after?: string }; result: Page<KeyReport, string> | Refused };
	/** `hash`: SHA-256 of the new key, hex, for no key crosses the bus; `expires_in`: ms, null for never. */
	'accounts.createKey': {
		params: Scoped & { hash: string; name: string; scopes: Scope[]; expires_in: number | null };
		result: KeyReport | Refused;
	};
	'accounts.revokeKey': { params: { key_id: string } | { hash: string }; result: KeyReport | Refused };
	/** `hash`: of the new key; `overlap`: ms that the old one still works. */
	'accounts.rollKey': {
		params: { key_id: string; hash: string; overlap: number };
		result: { old: KeyReport; new: KeyReport } | Refused;
	};
	'accounts.listPackages': { params: Record<string, never>; result: PlanReport[] };
	'accounts.setPackage': {
		params: { name: string; figures: Partial<PlanFigures> };
		result: PlanReport | Refused;
	};
	/** The operator log, oldest first; `since`: ISO 8601 UTC. */
	'accounts.readLog': {
		params: { account_id?: string; since?: string; after?: LogCursor };
		result: Page<LogEntry, LogCursor>;
	};
	/** From operators' commands, before they begin: what they do beside the actions above. */
	'accounts.recordCommand': { params: { event: CommandEvent; subject: string }; result: 'ok' };
	/** From the gateways: requests that lacked a scope. False: to be told again later, with what came meanwhile. */
	'accounts.recordRefusal': {
		params: Scoped & { key_id: string; operation: string; scope: Scope; count: number };
		result: { recorded: boolean };
	};
}

export interface Principal {
	account_id: string;
	key_id: string;
	scopes: Scope[];
	/** ms since the epoch; null: never */
	expires_at: number | null;
	suspended: boolean;
	package: { name: string; rate: number | null; burst: number | null };
	/** Requests that were recorded of a UTC month (`YYYY-MM`), and at how many it ends; null: never, or overages follow */
	quota: { month: string; requests: number; limit: number | null };
}

/** Requests of an account in a UTC month, `YYYY-MM`. */
export interface RequestCount extends Scoped {
	month: string;
	requests: number;
}

/**
 * Broadcast to every gateway: what it knows of the keys of an account, or of a plan, is out of date. A gateway that does
 * not hear it finds out by `accounts.changes`, within 4 s.
 */
export const ACCOUNTS_CHANGED = 'accounts.changed';

export type AccountsChanged = { account_id: string } | { package: string };
