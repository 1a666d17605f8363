/**
 * What the generated functions of `api.ts` call: each makes one request, and hands it to the client that it was called for.
 */

export interface ApiRequest {
	method: string;
	/** Path and query */
	path: string;
	headers: Record<string, string>;
	body?: string;
	/** Ends the call, also while it waits for its next try */
	signal?: AbortSignal;
	/** How often the request is sent again; default: the client's */
	retries?: number;
}

/** Sends a request until it is answered, and returns the `data` of the answer. */
export type Send = (request: ApiRequest) => Promise<unknown>;

type Headers = Record<string, string | undefined>;

export interface RequestOpts {
	send: Send;
	headers?: Headers;
	signal?: AbortSignal;
	retries?: number;
}

interface Init extends Partial<RequestOpts> {
	method?: string;
	body?: unknown;
}

type Query = Record<string, unknown>;

export function runtime() {
	return {
		mergeHeaders: (...all: (Headers | undefined)[]): Headers => Object.assign({}, ...all),
		json: ({ body, headers, ...init }: Init): Init => ({
			...init,
			body: JSON.stringify(body),
			headers: { ...headers, 'Content-Type': 'application/json' },
		}),
		async fetchJson<T extends { status: number; data: unknown }>(path: string, init: Init): Promise<T['data']> {
			const { send, method = 'GET', body, headers = {}, signal, retries } = init;
			const given = Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined);
			const request: ApiRequest = { method, path, headers: Object.fromEntries(given) };
			if (body !== undefined) request.body = body as string;
			if (signal !== undefined) request.signal = signal;
			if (retries !== undefined) request.retries = retries;
			return send!(request);
		},
	};
}

/** Parameters that are left out are not sent, and lists are: `types=a,b`. */
function pairs(query: Query): string {
	return Object.entries(query)
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
		.join('&');
}

export const QS = {
	query(...parts: string[]): string {
		const given = parts.filter((part) => part !== '');
		return given.length === 0 ? '' : `?${given.join('&')}`;
	},
	explode: pairs,
	form: pairs,
};
