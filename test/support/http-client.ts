import { Agent, type IncomingHttpHeaders, request as send } from 'node:http';
import type { Fault } from '../../shared/contract/errors.ts';
import { linesOf } from './product-log.ts';

export interface RequestOptions {
	query?: Record<string, string | number | boolean>;
	/** Sent as JSON */
	body?: unknown;
	/** Sent as it is, in place of `body` */
	raw?: string | Buffer;
	headers?: Record<string, string | string[]>;
	/** When the client gives up */
	signal?: AbortSignal;
}

/** A request that was to change something, and what its client was told; without a status: nothing. */
export interface AskedChange {
	method: string;
	path: string;
	/** Of its body; most tests give each request a text of its own */
	message?: string | null | undefined;
	status?: number;
	data?: { id?: number; version?: number };
	/** The `ETag` */
	version?: number;
}

/** An answer as it came over the wire. */
export class Answer<T = unknown> {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	readonly text: string;
	readonly #asked: string;

	constructor(asked: string, status: number, headers: IncomingHttpHeaders, text: string) {
		this.#asked = asked;
		this.status = status;
		this.headers = headers;
		this.text = text;
	}

	/** The whole body, parsed. */
	get body(): { data?: T; error?: unknown; code?: string; faults?: Fault[] } {
		return JSON.parse(this.text) as Answer<T>['body'];
	}

	/** `data` of a success. */
	get data(): T {
		return this.body.data as T;
	}

	/** `error` of a failure; a plan limit's is an object, everything else's a text. */
	get error(): string {
		return this.body.error as string;
	}

	/** What the product that the run shares logged about the request, where it could not serve it */
	get log(): string[] | undefined {
		return this.status >= 500 ? linesOf(String(this.headers['x-request-id'])) : undefined;
	}

	/**
	 * The data of an answer that must have this status.
	 * @throws with what was asked and answered where it has another one
	 */
	mustBe(status: number): T {
		if (this.status !== status) {
			const log = this.log?.map((line) => `\n${line}`).join('') ?? '';
			throw new Error(`${this.#asked} answered ${this.status}, not ${status}: ${this.text.slice(0, 500)}${log}`);
		}
		return this.text === '' ? (undefined as T) : this.data;
	}
}

const agent = new Agent({ keepAlive: true, maxSockets: 128 });
let turn = 0;
/** What every key was used to change, whichever client sent it */
const changes = new Map<string | undefined, AskedChange[]>();

/** A client of the API over keep-alive connections. With several gateways it takes them in turn. */
export class Client {
	readonly #urls: () => string[];
	readonly key: string | undefined;

	constructor(urls: string[] | (() => string[]), key?: string) {
		this.#urls = typeof urls === 'function' ? urls : () => urls;
		this.key = key;
	}

	/** A client of the same product with another key, or none. */
	withKey(key: string | undefined): Client {
		return new Client(this.#urls, key);
	}

	/** A client of one of the gateways only. */
	pinned(gateway: number): Client {
		return new Client(() => [this.#urls()[gateway]!], this.key);
	}

	/** What was to be changed with this key, by this client or another, in the order in which it was sent. */
	get asked(): readonly AskedChange[] {
		return changes.get(this.key) ?? [];
	}

	get url(): string {
		const urls = this.#urls();
		if (urls.length === 0) throw new Error('no gateway is running');
		return urls[turn++ % urls.length]!;
	}

	get<T>(path: string, options: RequestOptions = {}): Promise<Answer<T>> {
		return this.request<T>('GET', path, options);
	}

	post<T>(path: string, body?: unknown, options: RequestOptions = {}): Promise<Answer<T>> {
		return this.request<T>('POST', path, { body, ...options });
	}

	put<T>(path: string, body?: unknown, options: RequestOptions = {}): Promise<Answer<T>> {
		return this.request<T>('PUT', path, { body, ...options });
	}

	patch<T>(path: string, body?: unknown, options: RequestOptions = {}): Promise<Answer<T>> {
		return this.request<T>('PATCH', path, { body, ...options });
	}

	delete<T = 'ok'>(path: string, options: RequestOptions = {}): Promise<Answer<T>> {
		return this.request<T>('DELETE', path, options);
	}

	/** Rejects only where the connection fails or nothing is answered within 45 s. */
	request<T>(method: string, path: string, options: RequestOptions = {}): Promise<Answer<T>> {
		const url = new URL(path, this.url);
		for (const [name, value] of Object.entries(options.query ?? {})) url.searchParams.append(name, String(value));
		const payload = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
		const headers: Record<string, string | string[]> = {
			...(this.key === undefined ? {} : { authorization: `Bearer ${this.key}` }),
			...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
			...(payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) }),
			...options.headers,
		};
		const asked = this.#note(method, path, options.body as Pick<AskedChange, 'message'> | undefined);
		return new Promise((resolve, reject) => {
			const request = send(url, { method, headers, agent, timeout: 45_000, signal: options.signal }, (response) => {
				const chunks: Buffer[] = [];
				response.on('data', (chunk: Buffer) => chunks.push(chunk));
				response.on('error', reject);
				response.on('end', () => {
					const text = Buffer.concat(chunks).toString('utf8');
					const answer = new Answer<T>(`${method} ${path}`, response.statusCode ?? 0, response.headers, text);
					if (asked !== undefined) learn(asked, answer);
					resolve(answer);
				});
			});
			request.on('timeout', () => request.destroy(new Error(`${method} ${path}: no answer within 45 s`)));
			request.on('error', reject);
			request.end(payload);
		});
	}

	#note(method: string, path: string, body: Pick<AskedChange, 'message'> | undefined): AskedChange | undefined {
		if (method === 'GET' || method === 'HEAD') return undefined;
		const asked: AskedChange = { method, path, message: body?.message };
		const before = changes.get(this.key);
		if (before === undefined) changes.set(this.key, [asked]);
		else before.push(asked);
		return asked;
	}
}

function learn(asked: AskedChange, { status, headers, text }: Answer): void {
	asked.status = status;
	if (headers.etag !== undefined) asked.version = Number(headers.etag.replaceAll('"', ''));
	if (status < 300 && text.startsWith('{')) asked.data = (JSON.parse(text) as { data: AskedChange['data'] }).data;
}
