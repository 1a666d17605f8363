/**
 * Broadcast to every gateway: what it knows of an account's keys, or of those on a package, is out of date. One that does
 * not hear it finds out when it asks again, within 4 s.
 */
export const ACCOUNTS_CHANGED = 'accounts.changed';

export type AccountsChanged = { account_id: string } | { package: string };
