import type { IncomingMessage } from 'node:http';
import type { Answer } from './answer.ts';

const EXPOSED = [
	'ETag',
	'Location',
	'X-Request-Id',
	'Retry-After',
	'X-RateLimit-Limit',
	'X-RateLimit-Remaining',
	'X-RateLimit-Reset',
	'Idempotent-Replayed',
].join(', ');
const ALLOWED = 'Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, X-Request-Id';
const MAX_AGE = '600'; // s; what Chromium keeps at most is 7200

/**
 * Lets pages of the configured origins call the API. An origin is compared whole: moleculer-web's own list also lets
 * parts of a name pass (field's finding). No credentials: the key is a header that the page sets itself.
 */
export class Cors {
	readonly #origins: ReadonlySet<string>;

	constructor(origins: readonly string[]) {
		this.#origins = new Set(origins);
	}

	/** Headers of every answer. With any origin configured, caches must keep the answers of different origins apart. */
	headersFor(origin: string | undefined): Record<string, string> {
		if (this.#origins.size === 0) return {};
		if (!this.#allows(origin)) return { Vary: 'Origin' };
		return { Vary: 'Origin', 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED };
	}

	/** The answer to a browser that asks before a request; undefined if this is no such request, or the origin is not allowed. */
	preflight({ method, headers }: IncomingMessage, allow: string): Answer | undefined {
		const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
		if (!isPreflight || !this.#allows(headers.origin)) return undefined;
		return {
			status: 204,
			headers: {
				'Access-Control-Allow-Methods': allow,
				'Access-Control-Allow-Headers': ALLOWED,
				'Access-Control-Max-Age': MAX_AGE,
			},
		};
	}

	#allows(origin: string | undefined): origin is string {
		return origin !== undefined && this.#origins.has(origin);
	}
}
