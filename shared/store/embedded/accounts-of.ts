import type { JsonObject } from './json-value.ts';

/** The accounts whose documents alone a filter finds; undefined where it may find anybody's. */
export function accountsOf({ account_id }: JsonObject): readonly string[] | undefined {
	if (typeof account_id === 'string') return [account_id];
	const { $in } = (account_id ?? {}) as { $in?: unknown };
	return Array.isArray($in) && $in.every((one) => typeof one === 'string') ? $in : undefined;
}
