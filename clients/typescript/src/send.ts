import { ConnectionError, type FailureBody, SlotwiseError } from './errors.ts';
import type { ApiRequest, Send } from './runtime.ts';

export interface ClientOptions {
	/** Where the API is, without `/v1` */
	baseUrl: string;
	/** `slw_…` */
	apiKey: string;
	/** How often a request is sent again; default 4 */
	retries?: number;
	/** Longest `Retry-After` that is waited for, in seconds; default 60. Beyond it the error is thrown at once. */
	maxRetryAfter?: number;
	/** In place of the global one */
	fetch?: typeof fetch;
}

/** ms before the first retry; doubled for each further one, up to the second number, less up to a half by chance */
const [FIRST, LONGEST] = [250, 8_000];
/** ms for one try: the API answers within 10 s, a long poll within 30 s more */
const PATIENCE = 45_000;

/**
 * A request is sent again where that cannot do it twice. A limit (429) or a request under the same key (409) was refused
 * before anything happened. After no answer, or 502 to 504, only reads are repeated, and what has an Idempotency-Key.
 */
export function sender(options: ClientOptions): Send {
	const { retries: usual = 4, maxRetryAfter = 60 } = options;
	return async (request) => {
		const { retries = usual, signal } = request;
		for (let tries = 0; ; tries++) {
			try {
				return await sendOnce(options, request);
			} catch (error) {
				const wait = pauseAfter(error, request, tries);
				if (wait === undefined || tries >= retries || wait > maxRetryAfter * 1000 || signal?.aborted) throw error;
				await delay(wait, signal);
			}
		}
	};
}

/** @returns ms; undefined: it is not sent again */
function pauseAfter(error: unknown, { method, headers }: ApiRequest, tries: number): number | undefined {
	const backoff = Math.min(FIRST * 2 ** tries, LONGEST) * (1 - Math.random() / 2);
	const canRepeat = method === 'GET' || 'Idempotency-Key' in headers;
	if (error instanceof ConnectionError) return canRepeat ? backoff : undefined;
	if (!(error instanceof SlotwiseError)) return undefined;
	const { status, code, retryAfter = 0 } = error;
	const wasRefused = status === 429 || code === 'request_in_progress';
	const isAway = status >= 502 && status <= 504 && canRepeat;
	return wasRefused || isAway ? Math.max(retryAfter * 1000, backoff) : undefined;
}

/** @throws SlotwiseError, ConnectionError, or the reason of the signal */
async function sendOnce(options: ClientOptions, { method, path, headers, body, signal }: ApiRequest): Promise<unknown> {
	const { baseUrl, apiKey, fetch: ask = fetch } = options;
	const patience = AbortSignal.timeout(PATIENCE);
	const what = `${method} ${path.split('?')[0]}`;
	let answer: Response;
	let text: string;
	try {
		answer = await ask(baseUrl.replace(/\/+$/, '') + path, {
			method,
			headers: { ...headers, Authorization: `Bearer ${apiKey}`, Accept: 'application/json' },
			signal: signal === undefined ? patience : AbortSignal.any([signal, patience]),
			redirect: 'error',
			...(body !== undefined && { body }),
		});
		text = await answer.text();
	} catch (cause) {
		signal?.throwIfAborted();
		throw new ConnectionError(`no answer to ${what}`, { cause });
	}
	const content = parsed(text);
	if (!answer.ok) {
		const requestId = answer.headers.get('X-Request-Id') ?? undefined;
		throw new SlotwiseError(answer.status, content ?? {}, seconds(answer.headers.get('Retry-After')), requestId);
	}
	// Whoever it is from, and whatever became of the rest: it does not say what was made.
	if (content === undefined || !('data' in content)) throw new ConnectionError(`no whole answer to ${what}`);
	return content.data;
}

/** What is between us and the API may answer something else than JSON. */
function parsed(text: string): (FailureBody & { data?: unknown }) | undefined {
	try {
		const content: unknown = JSON.parse(text);
		return typeof content === 'object' && content !== null ? content : undefined;
	} catch {
		return undefined;
	}
}

/** Of a `Retry-After`, which may also be a date (RFC 9110 10.2.3) */
function seconds(retryAfter: string | null): number | undefined {
	if (retryAfter === null) return undefined;
	if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
	const ms = Date.parse(retryAfter) - Date.now();
	return Number.isNaN(ms) ? undefined : Math.max(0, Math.ceil(ms / 1000));
}

function delay(ms: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const end = () => {
			clearTimeout(timer);
			reject(signal!.reason);
		};
		const timer = setTimeout(() => {
			signal?.removeEventListener('abort', end);
			resolve();
		}, ms);
		signal?.addEventListener('abort', end, { once: true });
	});
}
