import { createHash } from 'node:crypto';

const BARE = /^[\x21-\x7e]{1,255}$/;
const QUOTED = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;

/** The key of an `Idempotency-Key` header, quoted (RFC 8941 §3.3.3) or bare, which are one; undefined: malformed. */
export function parseIdempotencyKey(header: string): string | undefined {
	const key = header.startsWith('"') ? QUOTED.exec(header)?.[1]?.replace(/\\(.)/g, '$1') : header;
	return key !== undefined && BARE.test(key) ? key : undefined;
}

/** SHA-256, hex, of what makes two requests the same; the order of fields does not. */
export function fingerprint(request: { operation: string; path: unknown; query: unknown; body: unknown }): string {
	return createHash('sha256')
		.update(JSON.stringify(sorted(request)))
		.digest('hex');
}

/** Depth is bounded where the body is parsed. `entries` keeps a field of any name, and its order, as it is. */
function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== 'object' || value === null) return value;
	const names = Object.keys(value).sort();
	return { entries: names.map((name) => [name, sorted((value as Record<string, unknown>)[name])]) };
}
