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
