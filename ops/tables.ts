import type { AccountReport, KeyReport, PlanReport } from '../shared/contract/account-reports.ts';
import type { Rules } from '../shared/contract/schemas/rules.ts';

/** Rows under their headings, in columns; numbers to the right. */
export function table(headings: string[], rows: (string | number)[][]): string {
	const widths = headings.map((heading, at) => Math.max(heading.length, ...rows.map((row) => String(row[at]).length)));
	const line = (row: (string | number)[]) =>
		row
			.map((cell, at) => (typeof cell === 'number' ? String(cell).padStart(widths[at]!) : cell.padEnd(widths[at]!)))
			.join('  ')
			.trimEnd();
	return [headings, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n');
}

/** `1 booking`, `2 bookings`. */
export function count(number: number, noun: string): string {
	return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

/** What was moved, and how fast. */
export function movedText(counts: Record<string, number>, ms: number): string {
	const documents = Object.values(counts).reduce((sum, one) => sum + one, 0);
	const rate = Math.round((documents / ms) * 1_000).toLocaleString('en');
	return `${count(counts.bookings ?? 0, 'booking')}, ${count(documents, 'document')}, ${rate} a second`;
}

/** When a service can be booked; empty where it has no rules. */
export function rulesText({ min_notice_minutes: notice, max_advance_days: days }: Rules): string {
	const rules = [
		...(notice === null ? [] : [`${count(notice, 'minute')} before the start at the latest`]),
		...(days === null ? [] : [`${count(days, 'day')} ahead at the earliest`]),
	];
	return rules.join(', ');
}

/** An account in a few lines. */
export function accountText(account: AccountReport): string {
	const { id, name, email, suspended_at, retention_days, subscription_status, created_at, updated_at } = account;
	return [
		`Account ${id}: ${name}${email === null ? '' : `, ${email}`}`,
		`package ${account.package}, subscription ${subscription_status}`,
		suspended_at === null ? 'not suspended' : `suspended since ${suspended_at}: its keys are refused`,
		retention_days === null
			? 'bookings are kept until somebody deletes them'
			: `bookings are kept for ${count(retention_days, 'day')} after their end`,
		`created ${created_at}, changed ${updated_at}`,
	].join('\n');
}

/** Keys by their ids; what they are is stored nowhere. */
export function keyTable(keys: KeyReport[]): string {
	return table(
		['key', 'name', 'scopes', 'state', 'expires', 'last used', 'created', 'rolled to'],
		keys.map(({ id, name, scopes, state, expires_at, last_used_at, created_at, replaced_by }) => [
			id,
			name,
			scopes.join(','),
			state,
			expires_at ?? 'never',
			last_used_at ?? 'never',
			created_at,
			replaced_by ?? '',
		]),
	);
}

/** A new key, for whoever asked for it. */
export function newKeyText(apiKey: string, keys: KeyReport[]): string {
	return `${keyTable(keys)}\n\nThe new key is shown only this once:\n\n  ${apiKey}`;
}

/** Plans with their figures. */
export function packageTable(packages: PlanReport[]): string {
	const shown = (figure: number | null) => figure ?? 'none';
	return table(
		['package', 'rate/s', 'burst', 'requests/month', 'bookings/month', 'services', 'overages', 'changed'],
		packages.map(({ name, rate, burst, requests, bookings, services, overages, updated_at }) => [
			name,
			...[rate, burst, requests, bookings, services].map(shown),
			overages ? 'yes' : 'no',
			updated_at,
		]),
	);
}
