import type { KeyReport } from '../../shared/contract/account-reports.ts';
import { table } from './table.ts';

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
