export interface Scoped {
	account_id: string;
}

/** Versions that `If-Match` names; `'*'` is any. An empty list matches none. */
export type IfMatch = '*' | number[];

/** `fingerprint`: SHA-256 of the request (operation, path, query, body as parsed, key order aside), hex. */
export interface Idempotency {
	key: string;
	fingerprint: string;
}

/** `replayed`: the first answer of an Idempotency-Key, not a new object. */
export interface Created<T> {
	data: T;
	replayed: boolean;
}

declare const brand: unique symbol;

/**
 * What queues, batches, locks, caches and shared reads go by. Its type says that the account is a part of it, so that
 * what one account asks for never joins, waits for or speaks for what another one does (ADR 22): a key without an
 * account does not compile.
 */
export type AccountKey = string & { readonly [brand]: 'the account is a part of it' };

/**
 * @param owner whatever names the account: a request, a document, a claim
 * @param parts what the key tells apart within the account; none where the account as a whole is meant
 */
export function accountKey({ account_id }: Scoped, ...parts: (string | number)[]): AccountKey {
	return (parts.length === 0 ? account_id : `${account_id}:${parts.join(':')}`) as AccountKey;
}
